// Files for tests, made by the test that needs them.
import { PDFDocument, StandardFonts } from 'pdf-lib';

/** A PDF with one text for each page; lines are separated by LF. A4, Helvetica 11. */
export async function makePdf({ pages }: { pages: string[] }): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) {
    const page = document.addPage([595, 842]);
    if (text) page.drawText(text, { x: 50, y: 780, font, size: 11, lineHeight: 14 });
  }
  return Buffer.from(await document.save());
}
