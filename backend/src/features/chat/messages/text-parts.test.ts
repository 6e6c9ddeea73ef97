import { describe, expect, it } from 'vitest';
import type { ReplyPart } from '../../../contract/messages.ts';
import { namedText } from '../../../contract/reply-text.ts';
import { cutParts, deltasFrom, joinDeltas, lengthOf, partsOf, storedText } from './text-parts.ts';

const PARTS: ReplyPart[] = [
  { type: 'reasoning', text: 'Hm 🦉' },
  { type: 'text', text: 'Owls hoot.' },
];

const PANEL: ReplyPart[] = [
  { type: 'text', text: 'Owls hoot.', personaId: 'a', personaName: 'Ada' },
  { type: 'text', text: '\n\n', personaId: 'b', personaName: 'Ben' },
  { type: 'reasoning', text: 'Hm 🦉', personaId: 'b', personaName: 'Ben' },
  { type: 'text', text: 'They do not.', personaId: 'b', personaName: 'Ben' },
  { type: 'text', text: '\n\nIt depends.' },
];

describe('stored text', () => {
  it('keeps parts only when the reply is more than one text part', () => {
    expect(storedText([])).toEqual({ content: '' });
    expect(storedText([{ type: 'text', text: 'Hi' }])).toEqual({ content: 'Hi' });
    expect(storedText(PARTS)).toEqual({ content: 'Owls hoot.', parts: PARTS });
    expect(storedText([{ type: 'reasoning', text: 'Hm' }])).toMatchObject({ content: '' });
  });

  it('gives the same parts back', () => {
    const single = PANEL.slice(0, 1);
    for (const parts of [[], [{ type: 'text' as const, text: 'Hi' }], PARTS, PANEL, single])
      expect(partsOf(storedText(parts))).toEqual(parts);
  });
});

it('the content of a panel is its texts, a blank line between authors', () => {
  expect(storedText(PANEL).content).toBe('Owls hoot.\n\nThey do not.\n\nIt depends.');
});

describe('the text of a panel as it leaves the product', () => {
  it('has the name of each author once, above their text', () => {
    expect(namedText(PANEL)).toBe(
      '**Ada**\n\nOwls hoot.\n\n**Ben**\n\nThey do not.\n\n**Synthesis**\n\nIt depends.',
    );
    expect(namedText(PARTS)).toBe('Owls hoot.');
  });

  it('shows any name unchanged, and none without a text', () => {
    const named = { type: 'text' as const, personaId: 'a', personaName: '**A**\n# [b](c)' };
    expect(
      namedText([
        { ...named, text: 'Hi' },
        { type: 'text', text: '\n\n' },
      ]),
    ).toBe(String.raw`**\*\*A\*\* # \[b\](c)**` + '\n\nHi');
  });
});

describe('deltasFrom and joinDeltas', () => {
  it.each([
    ['reasoning and text', PARTS],
    ['a panel', PANEL],
  ])('rebuild the parts of %s from any offset', (_, parts) => {
    for (let offset = 0; offset <= lengthOf(parts); offset += 1)
      expect(joinDeltas(cutParts(parts, offset), deltasFrom(parts, offset))).toEqual(parts);
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
