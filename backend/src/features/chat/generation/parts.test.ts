import { describe, expect, it } from 'vitest';
import type { ReplyPart } from '../../../contract/messages.ts';
import { cutParts, deltasFrom, joinDeltas, lengthOf, partsOf, storedText } from './parts.ts';

const PARTS: ReplyPart[] = [
  { type: 'reasoning', text: 'Hm 🦉' },
  { type: 'text', text: 'Owls hoot.' },
];

describe('stored text', () => {
  it('keeps parts only when the reply is more than one text part', () => {
    expect(storedText([])).toEqual({ content: '' });
    expect(storedText([{ type: 'text', text: 'Hi' }])).toEqual({ content: 'Hi' });
    expect(storedText(PARTS)).toEqual({ content: 'Owls hoot.', parts: PARTS });
    expect(storedText([{ type: 'reasoning', text: 'Hm' }])).toMatchObject({ content: '' });
  });

  it('gives the same parts back', () => {
    for (const parts of [[], [{ type: 'text' as const, text: 'Hi' }], PARTS])
      expect(partsOf(storedText(parts))).toEqual(parts);
  });
});

describe('deltasFrom and joinDeltas', () => {
  it('rebuild the parts from any offset', () => {
    for (let offset = 0; offset <= lengthOf(PARTS); offset += 1)
      expect(joinDeltas(cutParts(PARTS, offset), deltasFrom(PARTS, offset))).toEqual(PARTS);
  });

  it('slice what is known and stop at a gap', () => {
    const [reasoning, text] = deltasFrom(PARTS, 0);
    if (!reasoning || !text) throw new Error('Both parts have a delta.');
    expect(joinDeltas(PARTS, [reasoning, text])).toEqual(PARTS);
    expect(joinDeltas([], [text])).toEqual([]);
    expect(joinDeltas([], [reasoning, { ...text, offset: text.offset + 1 }])).toEqual([PARTS[0]]);
    expect(joinDeltas([], [reasoning, { ...text, part: 2 }])).toEqual([PARTS[0]]);
  });

  it('replace the half of a character that a database stored as U+FFFD', () => {
    const torn: ReplyPart[] = [{ type: 'text', text: 'Hoot \uFFFD' }];
    const deltas = [{ part: 0, type: 'text' as const, offset: 5, delta: '🦉!' }];
    expect(joinDeltas(torn, deltas)).toEqual([{ type: 'text', text: 'Hoot 🦉!' }]);
  });
});
