import { PDFDocument, PDFName } from 'pdf-lib';
import { expect, it } from 'vitest';
import { createFiles } from '../../reading.fixture.ts';

const { reader, put } = createFiles();

/** A page that shows letters of a font with a map of its own: each code of `shown` stands for the text in `map`. */
async function mappedPdf(shown: string, map: Record<string, string>): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context } = document;
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const lines = Object.entries(map).map(
    ([code, text]) => `<${Buffer.from(code).toString('hex')}> <${hex(text)}>`,
  );
  const cmap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
${lines.length} beginbfchar
${lines.join('\n')}
endbfchar endcmap end end`;
  const font = context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'Type1',
      BaseFont: 'Helvetica',
      ToUnicode: context.register(context.flateStream(cmap)),
    }),
  );
  const page = document.addPage([400, 200]);
  page.node.setFontDictionary(PDFName.of('Own'), font);
  const content = `BT /Own 20 Tf 50 100 Td (${shown}) Tj ET`;
  page.node.set(PDFName.of('Contents'), context.register(context.flateStream(content)));
  return document.save();
}

const ARABIC = { A: 'ا', B: 'لأ', C: 'م', D: 'ر', L: 'ل', H: 'ب', I: 'ي', T: 'ت', S: ' ' };

it('gives the letters of an Arabic ligature as they are read, and an article as it is', async () => {
  // Drawn from the left: the last letter comes first.
  const file = await put('a.pdf', await mappedPdf('TIHLASDCBA', ARABIC));
  const [page] = (await reader.read(file)).pages;
  expect(page?.text).toBe('الأمر البيت');
  const marks = await reader.markPage({ ...file, n: 1, text: page?.text ?? '', start: 0, end: 5 });
  expect(marks).toHaveLength(1);
});

it('gives no text of a page whose font maps its letters to those of many scripts', async () => {
  const map = { A: 'ଋ', B: 'Ҩ', C: 'ǥ', D: 'ഁ', E: 'ဌ', S: ' ' };
  const file = await put('a.pdf', await mappedPdf('ABCDESDCEABSEDCBASABCDESECDAB', map));
  const { pages, unread } = await reader.read(file);
  expect(pages.map(({ text }) => text)).toEqual(['']);
  expect(unread).toEqual([{ kind: 'font', count: 1, pages: [1] }]);
});
