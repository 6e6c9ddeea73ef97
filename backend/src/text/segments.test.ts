import { describe, expect, it } from 'vitest';
import { segmentsOf } from './segments.ts';

const PIECES = [
  'Hello there. ',
  'A. ',
  'word ',
  '3.5 ',
  'can’t ',
  '“Yes!” she said. ',
  'e\u0301',
  '👨‍👩‍👧',
  '🇩🇪',
  '日本語のテキスト。',
  'ไทยภาษา',
  '\n',
  '\r\n',
  '   ',
];

describe('segments of a text in chunks', () => {
  it.each(['grapheme', 'word', 'sentence'] as const)(
    'are those of the whole text: %s',
    (granularity) => {
      const segmenter = new Intl.Segmenter('und', { granularity });
      for (let seed = 1; seed <= 40; seed += 1) {
        let state = seed;
        const piece = () => {
          state = (state * 48_271) % 2_147_483_647;
          return PIECES[(state >> 8) % PIECES.length];
        };
        const text = Array.from({ length: 900 }, piece).join('');
        const places = (segments: Iterable<{ index: number; segment: string }>) =>
          Array.from(segments, ({ index, segment }) => `${index} ${segment}`);
        expect(places(segmentsOf(segmenter, text))).toEqual(places(segmenter.segment(text)));
      }
    },
  );

  it('gives the segmenter a part of a long text only, and cuts no pair of surrogates', () => {
    const given: number[] = [];
    const inner = new Intl.Segmenter('und', { granularity: 'word' });
    const segmenter = {
      resolvedOptions: () => inner.resolvedOptions(),
      segment: (text: string) => {
        given.push(text.length);
        return inner.segment(text);
      },
    };
    const text = `a${'🦉'.repeat(5_000)}${'a'.repeat(5_000)}`;
    const segments = Array.from(segmentsOf(segmenter, text), ({ segment }) => segment);
    expect(segments.join('')).toBe(text);
    expect(segments.join(' ')).not.toMatch(/\p{Surrogate}/u);
    expect(Math.max(...given)).toBeLessThan(1_000);
  });
});
