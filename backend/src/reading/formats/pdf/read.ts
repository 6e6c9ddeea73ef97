import { MAX_PAGES, MAX_STAMP_LENGTH, MAX_TEXT_LENGTH } from '../../limits.ts';
import { UnreadableFileError } from '../../port.ts';
import type { Extract, PageDraft } from '../format.ts';
import { commentsOf } from './comments.ts';
import { findHyphens } from './hyphens.ts';
import { isNoise } from './noise.ts';
import { largestPicture, pictureShare } from './objects.ts';
import { pageLabel, printedNumbers } from './page-label.ts';
import { cleanText } from './page-text.ts';
import { openPdf, type PdfDocument, type Pdfium } from './pdfium.ts';
import { type OrderedPage, withOrderedPage } from './read-order.ts';

/** Pictures of a page with little text cover more of it than this when the page is a scan. */
const MIN_PICTURE_SHARE = 0.5;

/** A picture beside text is named from this share of the page on; smaller ones are logos and icons. */
const MIN_BESIDE_TEXT = 0.05;

/** Each page of a PDF; a page that cannot be loaded has no text, so that the others keep their numbers. */
export const readPdf: Extract = async function* (file, options) {
  const document = await openPdf(file.path);
  const { pageCount } = document;
  if (pageCount === 0) throw new UnreadableFileError('damaged', 'The document has no page.');
  const total = Math.min(pageCount, MAX_PAGES);
  const drafts = draftsOf(document, (n) => options.progress(Math.min(n, total), total));
  // Whether a hyphen belongs to its word is known when all pages are.
  const keepHyphens = findHyphens(drafts.map(({ raw }) => raw));
  const isLabelled = drafts.some(({ label }) => label !== undefined);
  const printed = isLabelled ? undefined : printedNumbers(drafts.map(({ raw }) => raw));
  for (const [at, { raw, comments, shows, ...draft }] of drafts.entries()) {
    const text = cleanText(keepHyphens(raw));
    const label = printed?.get(at + 1);
    const page = label === undefined ? draft : { ...draft, label };
    const unread = isNoise(text) ? 'font' : shows;
    const parts = [unread === 'font' ? '' : text, comments].filter((part) => part !== '');
    yield { text: parts.join('\n\n'), ...page, ...(unread && { unread }) };
  }
};

/** `shows`: pictures that may have text. */
type Draft = Omit<PageDraft, 'text'> & {
  raw: string;
  comments: string;
  shows?: 'picture' | 'image';
};

/** The pages that are read, and one more when the document has more. */
function draftsOf(document: PdfDocument, onPage: (n: number) => void): Draft[] {
  const drafts: Draft[] = [];
  let length = 0;
  const count = Math.min(document.pageCount, MAX_PAGES + 1);
  for (let n = 1; n <= count && length <= MAX_TEXT_LENGTH; n += 1) {
    const draft = withOrderedPage(document, n, (page) =>
      page === null ? { raw: '', comments: '' } : draftOf(document.pdfium, page),
    );
    const label = pageLabel(document, n);
    length += draft.raw.length + draft.comments.length;
    drafts.push(label === undefined ? draft : { ...draft, label });
    onPage(n);
  }
  return drafts;
}

function draftOf(pdfium: Pdfium, { handle, source, raw }: OrderedPage): Draft {
  const width = pdfium._FPDF_GetPageWidth(handle);
  const height = pdfium._FPDF_GetPageHeight(handle);
  const shows = picturesOf(pdfium, handle, cleanText(raw).trim());
  return {
    raw,
    comments: commentsOf(pdfium, source),
    ...(shows && { shows }),
    ...(width > 0 && height > 0 && { picture: { width, height } }),
  };
}

/**
 * `picture`: the page is a picture of text, because it has none, or pictures with a stamp or a fax line. `image`: a picture stands beside
 * its text. One that covers most of a page with text is a scan whose text was recognised before, or a background.
 */
function picturesOf(pdfium: Pdfium, page: number, text: string): Draft['shows'] {
  if (text === '') return pdfium._FPDFPage_CountObjects(page) > 0 ? 'picture' : undefined;
  if (text.length < MAX_STAMP_LENGTH && pictureShare(pdfium, page) > MIN_PICTURE_SHARE)
    return 'picture';
  const largest = largestPicture(pdfium, page);
  return largest >= MIN_BESIDE_TEXT && largest <= MIN_PICTURE_SHARE ? 'image' : undefined;
}
