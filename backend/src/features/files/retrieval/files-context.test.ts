import { describe, expect, test } from 'vitest';
import { askFiles, fileOf, pagesOf } from './retrieval.fixture.ts';

/** A page of sentences that are about nothing else. */
export const filler = (page: number) =>
  Array.from(
    { length: 12 },
    (_, at) =>
      `Section ${page}.${at} describes how the committee reviews ordinary proposals each season.`,
  ).join(' ');

const sixtyPages = (fact: string) =>
  pagesOf(
    ...Array.from({ length: 60 }, (_, at) =>
      at === 36 ? `${filler(37)} ${fact}` : filler(at + 1),
    ),
  );

describe('files that are too long to be given whole', () => {
  test('a fact on page 37 of 60 is found', async () => {
    const file = fileOf();
    const pages = sixtyPages('The reactor was shut down after a coolant leak in Hall B.');
    const { passages, receipt, text } = await askFiles({
      said: ['Why was the reactor shut down?'],
      texts: new Map([[file, pages]]),
    });
    expect(passages.some(({ page, text }) => page === 37 && text.includes('coolant leak'))).toBe(
      true,
    );
    expect(passages.length).toBeLessThanOrEqual(8);
    expect(receipt).toEqual([{ fileId: file.id, name: 'report.pdf', given: 'passages' }]);
    expect(text).toContain('coolant leak');
  });

  test('nothing is given for a question that no file answers', async () => {
    const { passages, receipt, text } = await askFiles({
      said: ['What is the wingspan of an albatross?'],
      texts: new Map([[fileOf(), sixtyPages('')]]),
    });
    expect(passages).toEqual([]);
    expect(receipt).toMatchObject([{ given: 'none' }]);
    expect(text).toContain('No passage of this conversation’s files fits the question.');
  });
});
