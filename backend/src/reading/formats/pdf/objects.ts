import { allocate, floatsAt, type Pdfium } from './pdfium.ts';

/** Types of page objects (fpdf_edit.h). */
const TEXT = 1;
const IMAGE = 3;
const FORM = 5;
/** A page with more objects is no scan. */
const MAX_OBJECTS = 2_000;

/** The objects of a page; none when they are too many. */
function objectsOf(pdfium: Pdfium, page: number): number[] {
  const count = pdfium._FPDFPage_CountObjects(page);
  return count > MAX_OBJECTS
    ? []
    : Array.from({ length: count }, (_, index) => pdfium._FPDFPage_GetObject(page, index));
}

/** The share of a page that its pictures cover, groups with pictures included. */
export const pictureShare = (pdfium: Pdfium, page: number): number =>
  sharesOf(pdfium, page, (object) => isPicture(pdfium, object)).reduce((sum, one) => sum + one, 0);

/** The share of a page that the largest of its pictures covers. A group is left out, because it may have text as well. */
export const largestPicture = (pdfium: Pdfium, page: number): number =>
  Math.max(0, ...sharesOf(pdfium, page, (object) => pdfium._FPDFPageObj_GetType(object) === IMAGE));

/** The shares of a page that these objects cover. */
function sharesOf(pdfium: Pdfium, page: number, isWanted: (object: number) => boolean): number[] {
  const whole = pdfium._FPDF_GetPageWidth(page) * pdfium._FPDF_GetPageHeight(page);
  const at = allocate(pdfium, 16);
  try {
    return objectsOf(pdfium, page)
      .filter(isWanted)
      .map((object) => {
        if (!pdfium._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) return 0;
        const [left = 0, bottom = 0, right = 0, top = 0] = floatsAt(pdfium, at, 4);
        return ((right - left) * (top - bottom)) / whole;
      });
  } finally {
    pdfium.wasmExports.free(at);
  }
}

/** A picture, or a group with one. */
function isPicture(pdfium: Pdfium, object: number): boolean {
  const type = pdfium._FPDFPageObj_GetType(object);
  if (type !== FORM) return type === IMAGE;
  const count = Math.min(pdfium._FPDFFormObj_CountObjects(object), MAX_OBJECTS);
  for (let index = 0; index < count; index += 1) {
    const inner = pdfium._FPDFFormObj_GetObject(object, index);
    if (inner && pdfium._FPDFPageObj_GetType(inner) === IMAGE) return true;
  }
  return false;
}

/** Hides the text of a page that is loaded, until it is closed. */
export function hideText(pdfium: Pdfium, page: number): void {
  for (const object of objectsOf(pdfium, page))
    if (pdfium._FPDFPageObj_GetType(object) === TEXT) pdfium._FPDFPageObj_SetIsActive(object, 0);
}
