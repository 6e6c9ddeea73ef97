import { type InsightCard, sourceHref } from '@stolas/backend/contract';
import { expect, it } from 'vitest';
import { testCitation } from '../files.fixture.tsx';
import { freshCards } from './fresh-cards.ts';

const PASSAGE = 'Ada Marsh will lead the\nproject until the dome opens in May.';
const card = (insight: string, n = 1): InsightCard => ({
  insight,
  citation: testCitation(n, { quote: insight, start: n * 100, end: n * 100 + insight.length }),
});
const link = (it: InsightCard) => `[${it.citation!.n}](${sourceHref(it.citation!)})`;

it.each([
  [
    'quotes',
    (c: InsightCard) =>
      `She is named: “Ada Marsh will lead the project until the dome opens in May” ${link(c)}.`,
  ],
  [
    'almost quotes',
    (c: InsightCard) => `So Ada Marsh will lead the project until the dome opens ${link(c)}.`,
  ],
  [
    'tells in other forms',
    (c: InsightCard) => `Ada Marsh leads the project until the dome opens in May ${link(c)}.`,
  ],
])('leaves out a passage that the reply %s', (_name, reply) => {
  expect(freshCards([card(PASSAGE)], reply(card(PASSAGE)))).toEqual([]);
});

it.each([
  ['speaks of in other words', (c: InsightCard) => `Its head is a woman of experience ${link(c)}.`],
  [
    'has the words of, but far from where it is cited',
    (c: InsightCard) =>
      `There is a head ${link(c)}.\n\nIn May the dome opens. Ada likes it. A project leads will and Marsh.`,
  ],
])('keeps a passage that the reply %s', (_name, reply) => {
  expect(freshCards([card(PASSAGE)], reply(card(PASSAGE)))).toHaveLength(1);
});

it('leaves out a passage without spaces that the reply quotes', () => {
  expect(freshCards([card('天文館は五月に開館する')], '予定: 天文館は五月に開館する。')).toEqual(
    [],
  );
});

it('shows a passage once: not again in part, nor beside a comparison that has it', () => {
  const part = card('Ada Marsh will lead the project', 2);
  expect(freshCards([card(PASSAGE), part], '')).toEqual([card(PASSAGE)]);
  const sides = [
    { citation: card(PASSAGE).citation!, value: 'May' },
    { citation: testCitation(3), value: 'June' },
  ];
  const comparison: InsightCard = { insight: '', comparison: { topic: 'Opening', sides } };
  expect(freshCards([comparison, card(PASSAGE)], 'May and June')).toEqual([comparison]);
});
