import { PDFDocument, PDFName, type PDFPage, PDFString, StandardFonts } from 'pdf-lib';
import { expect, it } from 'vitest';
import { createFiles, darkness } from '../../reading.fixture.ts';

const { reader, put } = createFiles();

/** A form with labels, a field at the end of the content's last line, a hidden one and one that is empty. */
async function filledForm(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  const form = document.getForm();
  const label = (text: string, at: { x: number; y: number }) =>
    page.drawText(text, { ...at, font, size: 11, lineHeight: 30 });
  const field = (name: string, text: string, at: { x: number; y: number }) => {
    const made = form.createTextField(name);
    made.setText(text);
    made.enableMultiline();
    made.addToPage(page, { ...at, width: 140, height: 18, borderWidth: 0, font });
    made.setFontSize(11);
    return made;
  };
  label('Application\nName:\nStreet:\nOther:\nEnd of the form', { x: 50, y: 780 });
  label('Place:', { x: 300, y: 750 });
  field('place', 'Hamburg', { x: 340, y: 745 });
  field('name', 'Ada Byron', { x: 120, y: 745 });
  field('street', '12 Owl Street', { x: 120, y: 715 });
  field('empty', '', { x: 340, y: 715 });
  const hidden = field('secret', 'Not to be seen', { x: 120, y: 685 });
  hidden.acroField.getWidgets()[0]?.setFlagTo(2, true);
  // Size and fonts may be those of all pages.
  for (const name of ['MediaBox', 'Resources'].map((key) => PDFName.of(key))) {
    const value = page.node.get(name);
    if (value) document.catalog.Pages().set(name, value);
    page.node.delete(name);
  }
  return document.save();
}

it('reads what is filled into a form beside its labels, and marks it there', async () => {
  const file = await put('form.pdf', await filledForm());
  const { text = '', picture: size } = (await reader.read(file)).pages[0] ?? {};
  expect(text).toBe(
    'Application\nName: Ada Byron Place: Hamburg\nStreet: 12 Owl Street\nOther:\nEnd of the form',
  );
  expect(size).toEqual({ width: 595, height: 842 });
  for (const quote of ['Ada Byron', 'Hamburg', '12 Owl Street', 'Street:']) {
    const start = text.indexOf(quote);
    const rects = await reader.markPage({
      ...file,
      n: 1,
      text,
      start,
      end: start + quote.length,
    });
    expect(rects).toHaveLength(1);
    const picture = await reader.renderPage({ ...file, n: 1, width: 1_000 });
    for (const rect of rects) expect(await darkness(picture, rect)).toBeGreaterThan(0.05);
  }
});

it('reads notes where they stand, and none of a page with a thousand empty fields', async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const [noted, empty] = [document.addPage([595, 842]), document.addPage([595, 842])];
  noted.drawText('First line\nSecond line', { x: 50, y: 780, font, size: 11, lineHeight: 60 });
  addNote(noted, { text: 'A note between them', x: 50, y: 750 });
  for (let n = 0; n < 1_000; n += 1) {
    const field = document.getForm().createTextField(`f${n}`);
    field.addToPage(empty, { x: (n % 30) * 19, y: Math.floor(n / 30) * 19, width: 18, height: 18 });
  }
  const { pages } = await reader.read(await put('notes.pdf', await document.save()));
  expect(pages.map(({ text }) => text)).toEqual([
    'First line\nA note between them\nSecond line',
    '',
  ]);
});

it('leaves out what a crop box hides: each half of a spread has its own text', async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const left of [0, 400]) {
    const page = document.addPage([800, 600]);
    for (const [at, text] of ['Left one\nLeft two', 'Right one\nRight two'].entries())
      page.drawText(text, { x: 50 + 400 * at, y: 500, font, size: 11, lineHeight: 30 });
    page.setCropBox(left, 0, 400, 600);
  }
  const file = await put('spread.pdf', await document.save());
  const { pages } = await reader.read(file);
  expect(pages.map(({ text }) => text)).toEqual(['Left one\nLeft two', 'Right one\nRight two']);
  const [mark] = await reader.markPage({ ...file, n: 2, text: 'Right one', start: 0, end: 5 });
  const picture = await reader.renderPage({ ...file, n: 2, width: 1_000 });
  expect(mark && (await darkness(picture, mark))).toBeGreaterThan(0.05);
});

it('reads the value of a form field that the reader has to draw', async () => {
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  page.drawText('Name:', { x: 50, y: 700, size: 12 });
  const { context } = document;
  const field = context.register(
    context.obj({
      Type: 'Annot',
      Subtype: 'Widget',
      FT: 'Tx',
      T: PDFString.of('name'),
      V: PDFString.of('Ada Lovelace'),
      DA: PDFString.of('/Helv 12 Tf 0 g'),
      Rect: [120, 695, 300, 715],
      F: 4,
    }),
  );
  page.node.addAnnot(field);
  const font = context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
  document.catalog.set(
    PDFName.of('AcroForm'),
    context.obj({ Fields: [field], NeedAppearances: true, DR: { Font: { Helv: font } } }),
  );
  const file = await put('form.pdf', await document.save({ updateFieldAppearances: false }));
  const [read] = (await reader.read(file)).pages;
  expect(read?.text).toBe('Name: Ada Lovelace');
  const at = { start: 6, end: 9 };
  const [mark] = await reader.markPage({ ...file, n: 1, text: 'Name: Ada Lovelace', ...at });
  const picture = await reader.renderPage({ ...file, n: 1, width: 1_000 });
  expect(mark && (await darkness(picture, mark))).toBeGreaterThan(0.05);
});

it('gives the comments of a page with their authors below its text', async () => {
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  page.drawText('The rent is 900 euros.', { x: 50, y: 700, size: 12 });
  const addComment = (text: string, more: Record<string, number | string | PDFString> = {}) =>
    page.node.addAnnot(
      document.context.register(
        document.context.obj({
          Type: 'Annot',
          Subtype: 'Text',
          Rect: [300, 700, 320, 720],
          Contents: PDFString.of(text),
          ...more,
        }),
      ),
    );
  addComment('Too much,\nask again', { T: PDFString.of('Ada') });
  addComment('Since May', { Subtype: 'Highlight' });
  addComment('Hidden', { F: 2 });
  addComment('A link', { Subtype: 'Link' });
  addComment('x'.repeat(30_000));
  addNote(page, { text: 'On the page', x: 50, y: 500 });
  const file = await put('comments.pdf', await document.save());
  const [read] = (await reader.read(file)).pages;
  const text =
    'The rent is 900 euros.\nOn the page\n\nComments:\nAda: Too much, ask again\nSince May';
  expect(read?.text).toBe(text);
  const marks = await reader.markPage({ ...file, n: 1, text, start: 4, end: text.length });
  expect(marks).toHaveLength(2);
});

/** A free-text annotation with its appearance, as readers of PDF write it. */
function addNote(page: PDFPage, { text, x, y }: { text: string; x: number; y: number }) {
  const { context } = page.doc;
  const font = context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
  const appearance = context.stream(`BT /F1 11 Tf 2 4 Td (${text}) Tj ET`, {
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, 0, 200, 18],
    Resources: { Font: { F1: font } },
  });
  const note = context.obj({
    Type: 'Annot',
    Subtype: 'FreeText',
    Rect: [x, y, x + 200, y + 18],
    Contents: PDFString.of(text),
    F: 4,
    AP: { N: context.register(appearance) },
  });
  page.node.addAnnot(context.register(note));
}
