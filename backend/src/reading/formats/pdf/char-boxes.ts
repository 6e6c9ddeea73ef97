import { allocate, type Pdfium } from './pdfium.ts';

/** Device size of a page when shares are computed: coordinates are whole numbers there. */
const DEVICE = 100_000;

/** In shares of the page as it is shown; what stands outside of it is below 0 or above 1. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The box of a character by its index in PDFium's text; null for line ends and the like. */
export type BoxOf = (index: number) => Box | null;

/** Calls `visit` with what tells the boxes of characters of a text layer. */
export function withCharBoxes<T>(
  pdfium: Pdfium,
  { page, layer }: { page: number; layer: number },
  visit: (boxOf: BoxOf) => T,
): T {
  // FS_RECTF: four floats; then two integers for the result of the conversion.
  const at = allocate(pdfium, 24);
  const read = () => new DataView(pdfium.HEAPU8.buffer, at, 24);
  const shown = (x: number, y: number) => {
    pdfium._FPDF_PageToDevice(page, 0, 0, DEVICE, DEVICE, 0, x, y, at + 16, at + 20);
    const view = read();
    return { x: view.getInt32(16, true) / DEVICE, y: view.getInt32(20, true) / DEVICE };
  };
  const boxOf: BoxOf = (index) => {
    const character = pdfium._FPDFText_GetCharIndexFromTextIndex(layer, index);
    if (character < 0 || !pdfium._FPDFText_GetLooseCharBox(layer, character, at)) return null;
    const view = read();
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
      view.getFloat32(offset, true),
    );
    if (left === right || top === bottom) return null;
    // Pages may be turned, so either corner may be the upper left one.
    const [a, b] = [shown(left, top), shown(right, bottom)];
    return {
      left: Math.min(a.x, b.x),
      right: Math.max(a.x, b.x),
      top: Math.min(a.y, b.y),
      bottom: Math.max(a.y, b.y),
    };
  };
  try {
    return visit(boxOf);
  } finally {
    pdfium.wasmExports.free(at);
  }
}
