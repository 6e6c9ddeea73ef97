import { PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { expect, it } from 'vitest';
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
