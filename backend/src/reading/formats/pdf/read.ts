import { MAX_PAGES, MAX_TEXT_LENGTH } from '../../limits.ts';
import { UnreadableFileError } from '../../port.ts';
import type { Extract } from '../format.ts';
import { cleanText, withText } from './page-text.ts';
import { openPdf, type Pdfium } from './pdfium.ts';

/** Each page of a PDF; a page that cannot be loaded has no text, so that the others keep their numbers. */
export const readPdf: Extract = async function* (file, { progress }) {
  const { pdfium, pageCount, withPage } = await openPdf(file.path);
  if (pageCount === 0) throw new UnreadableFileError('damaged', 'The document has no page.');
  const total = Math.min(pageCount, MAX_PAGES);
  let length = 0;
  for (let n = 1; n <= pageCount && length <= MAX_TEXT_LENGTH; n += 1) {
    const page = withPage(n, (handle) => (handle === null ? { text: '' } : pageOf(pdfium, handle)));
    length += page.text.length;
    yield page;
    progress(Math.min(n, total), total);
  }
};

function pageOf(pdfium: Pdfium, page: number) {
  const width = pdfium._FPDF_GetPageWidth(page);
  const height = pdfium._FPDF_GetPageHeight(page);
  const text = withText(pdfium, page, (_layer, raw) => cleanText(raw));
  return { text, ...(width > 0 && height > 0 && { picture: { width, height } }) };
}
