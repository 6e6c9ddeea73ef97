import { withText } from './page-text.ts';
import { allocate, type PdfDocument, type Pdfium } from './pdfium.ts';

/** Subtypes of annotations that show text (fpdf_annot.h): free text, line, stamp, form field, screen, watermark. */
const WITH_TEXT = new Set([3, 4, 13, 20, 21, 24]);
const WIDGET = 20;
/** An empty text ends with a zero of UTF-16. */
const NO_TEXT_BYTES = 2;
/** A format of bitmaps with four bytes, and the flag that draws annotations. */
const BGRA = 4;
const FPDF_ANNOT = 1;
/** What is seen on a screen: hidden annotations are left out. */
const FLAT_NORMALDISPLAY = 0;
const FLATTEN_SUCCESS = 1;

/** A page whose form fields, notes and stamps are part of its content. */
export interface FlatPage {
  handle: number;
  /** The page of the document, which has its annotations still. */
  source: number;
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
    const own = { handle, source: handle, contentLength: Number.POSITIVE_INFINITY };
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
      const contentLength = commonLength(before, textOf(pdfium, handle));
      return visit({ handle, source: page.handle, contentLength });
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
  let shows = false;
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (!annotation) continue;
    const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
    const isDrawn = pdfium._FPDFAnnot_GetAP(annotation, 0, 0, 0) > NO_TEXT_BYTES;
    pdfium._FPDFPage_CloseAnnot(annotation);
    shows ||= WITH_TEXT.has(subtype);
    if (subtype === WIDGET && !isDrawn) {
      drawFields(pdfium, page);
      return true;
    }
  }
  return shows;
}

/**
 * Makes PDFium draw the values of fields that the program which filled them in leaves to the reader (`NeedAppearances`). It does so when it
 * draws annotations; nothing of the page is within this picture.
 */
function drawFields(pdfium: Pdfium, page: number): void {
  const at = allocate(pdfium, BGRA);
  const bitmap = pdfium._FPDFBitmap_CreateEx(1, 1, BGRA, at, BGRA);
  try {
    if (bitmap) pdfium._FPDF_RenderPageBitmap(bitmap, page, 2, 2, 1, 1, 0, FPDF_ANNOT);
  } finally {
    if (bitmap) pdfium._FPDFBitmap_Destroy(bitmap);
    pdfium.wasmExports.free(at);
  }
}
