import { withText } from './page-text.ts';
import { allocate, floatsAt, type PdfDocument, type Pdfium } from './pdfium.ts';

/** Subtypes of annotations that show text (fpdf_annot.h): free text, line, stamp, form field, screen, watermark. */
const WITH_TEXT = new Set([3, 4, 13, 20, 21, 24]);
/** What is seen on a screen: hidden annotations are left out. */
const FLAT_NORMALDISPLAY = 0;

/** A page whose form fields, notes and stamps are part of its content. */
export interface FlatPage {
  handle: number;
  /** Code units of its text before that of its annotations. */
  contentLength: number;
}

/**
 * Calls `visit` with page `n` (from 1) after its form fields, notes and stamps became part of its content; null when it cannot
 * be loaded. The page stays so in memory, and looks as before.
 */
export function withFlatPage<T>(
  { pdfium, withPage, contentLengths }: PdfDocument,
  n: number,
  visit: (page: FlatPage | null) => T,
): T {
  const before = withPage(n, (page) =>
    page === null || contentLengths.has(n) || !showsText(pdfium, page)
      ? null
      : textAndFlatten(pdfium, page),
  );
  // Flattening shows in a page that is loaded afterwards.
  return withPage(n, (handle) => {
    if (handle === null) return visit(null);
    if (before !== null) contentLengths.set(n, commonLength(before, textOf(pdfium, handle)));
    return visit({ handle, contentLength: contentLengths.get(n) ?? Number.POSITIVE_INFINITY });
  });
}

const textOf = (pdfium: Pdfium, page: number) => withText(pdfium, page, (_layer, raw) => raw);

function textAndFlatten(pdfium: Pdfium, page: number): string {
  const text = textOf(pdfium, page);
  setOwnSize(pdfium, page);
  pdfium._FPDFPage_Flatten(page, FLAT_NORMALDISPLAY);
  return text;
}

/** Flattening makes a page that inherits its size as large as US Letter. */
function setOwnSize(pdfium: Pdfium, page: number): void {
  const at = allocate(pdfium, 16);
  try {
    if (pdfium._FPDFPage_GetMediaBox(page, at, at + 4, at + 8, at + 12)) return;
    if (!pdfium._FPDF_GetPageBoundingBox(page, at)) return;
    const [left = 0, top = 0, right = 0, bottom = 0] = floatsAt(pdfium, at, 4);
    pdfium._FPDFPage_SetMediaBox(page, left, bottom, right, top);
  } finally {
    pdfium.wasmExports.free(at);
  }
}

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
