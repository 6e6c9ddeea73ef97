import { allocate, type PdfDocument } from './pdfium.ts';

/** Characters of a label. */
const MAX_LENGTH = 20;

/** The number that is printed on page `n` as the document states it; undefined when it states none, or `n` itself. */
export function pageLabel({ pdfium, handle }: PdfDocument, n: number): string | undefined {
  const bytes = (MAX_LENGTH + 1) * 2;
  const at = allocate(pdfium, bytes);
  try {
    // Two bytes for each code unit, and the zero at the end. A longer label is not written.
    const written = pdfium._FPDF_GetPageLabel(handle, n - 1, at, bytes);
    if (written <= 2 || written > bytes) return undefined;
    const units = pdfium.HEAPU8.slice(at, at + written - 2);
    const label = new TextDecoder('utf-16le').decode(units).replace(/\s+/g, ' ').trim();
    return label === '' || label === String(n) ? undefined : label;
  } finally {
    pdfium.wasmExports.free(at);
  }
}
