import { withText } from './page-text.ts';
import { allocate, type PdfDocument, type Pdfium } from './pdfium.ts';

/** Subtypes of annotations that show text (fpdf_annot.h): free text, line, stamp, form field, screen, watermark. */
const WITH_TEXT = new Set([3, 4, 13, 20, 21, 24]);
/** What is seen on a screen: hidden annotations are left out. */
const FLAT_NORMALDISPLAY = 0;
const FLATTEN_SUCCESS = 1;

/** A page whose form fields, notes and stamps are part of its content. */
export interface FlatPage {
  handle: number;
  /** Code units of its text before that of its annotations. */
  contentLength: number;
}

/**
 * Calls `visit` with page `n` (from 1), a copy of it whose form fields, notes and stamps are part of its content when it has any; null
 * when it cannot be loaded. The copy looks as the page does.
 */
export function withFlatPage<T>(
  document: PdfDocument,
  n: number,
  visit: (page: FlatPage | null) => T,
): T {
  const { pdfium, withPage } = document;
  return withPage(n, (handle) => {
    if (handle === null) return visit(null);
    const own = { handle, contentLength: Number.POSITIVE_INFINITY };
    return showsText(pdfium, handle) ? withCopy(document, n, own, visit) : visit(own);
  });
}

/**
 * A page that is flattened loses the fonts and the size that it inherits from its document; its copy has them itself. The copy is
 * flattened instead of the page; `visit` gets the page when it cannot be.
 */
function withCopy<T>(
  { pdfium, handle: from }: PdfDocument,
  n: number,
  page: FlatPage,
  visit: (page: FlatPage) => T,
): T {
  const before = textOf(pdfium, page.handle);
  const copy = pdfium._FPDF_CreateNewDocument();
  const at = allocate(pdfium, 4);
  try {
    new DataView(pdfium.HEAPU8.buffer).setInt32(at, n - 1, true);
    const isCopied = copy && pdfium._FPDF_ImportPagesByIndex(copy, from, at, 1, 0);
    if (!isCopied || !flatten(pdfium, copy)) return visit(page);
    // Flattening shows in a page that is loaded afterwards.
    const handle = pdfium._FPDF_LoadPage(copy, 0);
    if (!handle) return visit(page);
    try {
      return visit({ handle, contentLength: commonLength(before, textOf(pdfium, handle)) });
    } finally {
      pdfium._FPDF_ClosePage(handle);
    }
  } finally {
    pdfium.wasmExports.free(at);
    if (copy) pdfium._FPDF_CloseDocument(copy);
  }
}

function flatten(pdfium: Pdfium, document: number): boolean {
  const page = pdfium._FPDF_LoadPage(document, 0);
  if (!page) return false;
  const result = pdfium._FPDFPage_Flatten(page, FLAT_NORMALDISPLAY);
  pdfium._FPDF_ClosePage(page);
  return result === FLATTEN_SUCCESS;
}

const textOf = (pdfium: Pdfium, page: number) => withText(pdfium, page, (_layer, raw) => raw);

/** How long the text is that both begin with, in whole lines: PDFium sorts fields into the last line when they stand on it. */
function commonLength(before: string, after: string): number {
  if (after.startsWith(before) && /^(?:\r|$)/.test(after.slice(before.length)))
    return before.length;
  let length = 0;
  while (length < before.length && before[length] === after[length]) length += 1;
  return Math.max(0, before.lastIndexOf('\r\n', length - 1));
}

function showsText(pdfium: Pdfium, page: number): boolean {
  const count = pdfium._FPDFPage_GetAnnotCount(page);
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (!annotation) continue;
    const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
    pdfium._FPDFPage_CloseAnnot(annotation);
    if (WITH_TEXT.has(subtype)) return true;
  }
  return false;
}
