import { expect, test } from 'vitest';
import { rank } from '../../../text/ranking/rank.ts';
import { indexFile } from './file-index.ts';
import { filler, sixtyPages } from './retrieval.fixture.ts';

const TITLE = 'Balance sheets of Nordwind, 2018 and 2017. ';

test('each passage of a page is found by the words of its head', async () => {
  const pages = sixtyPages().map((page) =>
    page.n === 37 ? { ...page, text: TITLE + filler(37).repeat(3) } : page,
  );
  const index = await indexFile(pages);
  const { passages } = await rank([index], { terms: [{ term: 'nordwind', weight: 1 }], pages: [] });
  const ofPage = [...index.passages.entries()].filter(([, { page }]) => page === 37);
  expect(ofPage.length).toBeGreaterThan(2);
  expect(passages.map(({ passage }) => passage).toSorted((a, b) => a - b)).toEqual(
    ofPage.map(([at]) => at),
  );
});

test('a single page without columns has no head', async () => {
  const index = await indexFile([{ n: 1, text: TITLE + filler(37).repeat(6) }]);
  const { passages } = await rank([index], { terms: [{ term: 'nordwind', weight: 1 }], pages: [] });
  expect(index.passages.length).toBeGreaterThan(2);
  expect(passages).toHaveLength(1);
});
