import { MAX_PAGES, MAX_TEXT_LENGTH, OCR_BUDGET_MS, OCR_WIDTH } from '../../limits.ts';
import { UnreadableFileError } from '../../port.ts';
import type { Extract, ExtractOptions, PageDraft } from '../format.ts';
import { findHyphens } from './hyphens.ts';
import { cleanText } from './page-text.ts';
import { openPdf, type PdfDocument, type Pdfium } from './pdfium.ts';
import { type OrderedPage, withOrderedPage } from './read-order.ts';
import { drawPage } from './render.ts';

/** Each page of a PDF; a page that cannot be loaded has no text, so that the others keep their numbers. */
export const readPdf: Extract = async function* (file, options) {
  const document = await openPdf(file.path);
  const { pageCount } = document;
  if (pageCount === 0) throw new UnreadableFileError('damaged', 'The document has no page.');
  const recognise = options.ocr ? createPageRecogniser(document, options) : undefined;
  const total = Math.min(pageCount, MAX_PAGES);
  const drafts = draftsOf(document, (n) => options.progress(Math.min(n, total), total));
  // Whether a hyphen belongs to its word is known when all pages are.
  const keepHyphens = findHyphens(drafts.map(({ raw }) => raw));
  for (const [index, { raw, drawn, ...page }] of drafts.entries()) {
    let text = cleanText(keepHyphens(raw));
    if (recognise && drawn && text.trim() === '') {
      text = await recognise(index + 1);
      options.progress(Math.min(index + 1, total), total);
    }
    yield { text, ...page };
  }
};

type Draft = Omit<PageDraft, 'text'> & { raw: string; drawn: boolean };

/** The pages that are read, and one more when the document has more. */
function draftsOf(document: PdfDocument, onPage: (n: number) => void): Draft[] {
  const drafts: Draft[] = [];
  let length = 0;
  const count = Math.min(document.pageCount, MAX_PAGES + 1);
  for (let n = 1; n <= count && length <= MAX_TEXT_LENGTH; n += 1) {
    const draft = withOrderedPage(document, n, (page) =>
      page === null ? { raw: '', drawn: false } : draftOf(document.pdfium, page),
    );
    length += draft.raw.length;
    drafts.push(draft);
    onPage(n);
  }
  return drafts;
}

function draftOf(pdfium: Pdfium, { handle, raw }: OrderedPage): Draft {
  const width = pdfium._FPDF_GetPageWidth(handle);
  const height = pdfium._FPDF_GetPageHeight(handle);
  const drawn = pdfium._FPDFPage_CountObjects(handle) > 0;
  return { raw, drawn, ...(width > 0 && height > 0 && { picture: { width, height } }) };
}

/** Recognises pages until its time is over; the pages after that have no text. */
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
