import { PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import { makePdf } from '../../../../test/documents.ts';
import { createFiles } from '../../reading.fixture.ts';

const { read } = createFiles();

const KEY = PDFName.of('PageLabels');

const labelsOf = async (ranges?: (number | Record<string, unknown>)[]) => {
  const document = await PDFDocument.create();
  for (let n = 1; n <= 5; n += 1) document.addPage([200, 200]).drawText(`Text ${n}`);
  if (ranges) document.catalog.set(KEY, document.context.obj({ Nums: ranges } as never));
  const file = await read('a.pdf', await document.save());
  return file.pages.map(({ label }) => label);
};

it('gives the number that is printed on a page when it is another one', async () => {
  const ranges = [0, { S: 'r' }, 2, { S: 'D' }, 4, { S: 'D', P: PDFString.of('A-'), St: 7 }];
  expect(await labelsOf(ranges)).toEqual(['i', 'ii', '1', '2', 'A-7']);
  expect(await labelsOf([0, { S: 'D' }])).toEqual(Array(5).fill(undefined));
  expect(await labelsOf()).toEqual(Array(5).fill(undefined));
});

describe('the numbers at the foot of pages of a PDF that states none', () => {
  const labelsOfFeet = async (feet: string[]) => {
    const pages = feet.map((foot) => `Some text of a report.\n${foot}`);
    const file = await read('a.pdf', await makePdf({ pages }));
    return file.pages.map(({ label }) => label);
  };

  it('are its labels, also of the pages between them', async () => {
    const feet = ['', '', '- 1 -', 'Page 2 of 6', '', '4', '5', '6'];
    expect(await labelsOfFeet(feet)).toEqual([undefined, undefined, '1', '2', '3', '4', '5', '6']);
  });

  it.each([
    ['those that are counted', ['1', '2', '3', '4', '5', '6']],
    ['those of fewer than half of the pages', ['', '', '', '', '', '', '1', '2', '3', '4', '5']],
    ['numbers of other things', ['7', '190', '3', '52', '4', '88']],
    ['numbers within a line', ['$ 1', '1,5', 'Chapter 3', '4 apples', '5 %', '6:']],
  ])('are not %s', async (_, feet) => {
    expect(await labelsOfFeet(feet)).toEqual(feet.map(() => undefined));
  });
});
