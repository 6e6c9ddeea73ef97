import { MAX_PAGES, MAX_TEXT_LENGTH, OCR_BUDGET_MS, OCR_WIDTH } from '../../limits.ts';
import { UnreadableFileError } from '../../port.ts';
import type { Extract, ExtractOptions, PageDraft } from '../format.ts';
import { cleanText, withText } from './page-text.ts';
import { openPdf, type PdfDocument, type Pdfium } from './pdfium.ts';
import { drawPage } from './render.ts';

/** Each page of a PDF; a page that cannot be loaded has no text, so that the others keep their numbers. */
export const readPdf: Extract = async function* (file, options) {
  const document = await openPdf(file.path);
  const { pdfium, pageCount, withPage } = document;
  if (pageCount === 0) throw new UnreadableFileError('damaged', 'The document has no page.');
  const recognise = options.ocr ? createPageRecogniser(document, options) : undefined;
  const total = Math.min(pageCount, MAX_PAGES);
  let length = 0;
  for (let n = 1; n <= pageCount && length <= MAX_TEXT_LENGTH; n += 1) {
    const { drawn, ...page } = withPage(n, (handle) =>
      handle === null ? { text: '', drawn: false } : pageOf(pdfium, handle),
    );
    if (recognise && drawn && page.text.trim() === '') page.text = await recognise(n);
    length += page.text.length;
    yield page;
    options.progress(Math.min(n, total), total);
  }
};

function pageOf(pdfium: Pdfium, page: number): PageDraft & { drawn: boolean } {
  const width = pdfium._FPDF_GetPageWidth(page);
  const height = pdfium._FPDF_GetPageHeight(page);
  const text = withText(pdfium, page, (_layer, raw) => cleanText(raw));
  const drawn = pdfium._FPDFPage_CountObjects(page) > 0;
  return { text, drawn, ...(width > 0 && height > 0 && { picture: { width, height } }) };
}

/** Recognises pages until its time is used up; the following pages have no text. */
function createPageRecogniser(document: PdfDocument, { truncate }: ExtractOptions) {
  const until = Date.now() + OCR_BUDGET_MS;
  let recogniser: { textOf: (picture: Buffer) => Promise<string> } | undefined;
  return async (n: number): Promise<string> => {
    if (Date.now() > until) {
      truncate();
      return '';
    }
    const { createRecogniser } = await import('../ocr.ts');
    recogniser ??= await createRecogniser();
    const picture = await drawPage(document, { n, width: OCR_WIDTH });
    return recogniser.textOf(await picture.png().toBuffer());
  };
}
