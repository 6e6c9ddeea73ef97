import { orderLigatures } from './ligatures.ts';
import { allocate, type Pdfium } from './pdfium.ts';

/** Line ends come as CR LF; a hyphen at a line end comes as U+FFFE, and the word goes on without a line end. */
// oxlint-disable-next-line no-control-regex
const DROPPED = /[\r\uFFFE\u0000]/g;

/** The text of a page as it is shown and cited: PDFium's text without dropped characters. */
export const cleanText = (raw: string): string => raw.replace(DROPPED, '');

/** Calls `visit` with the text layer of a page and its text from PDFium. */
export function withText<T>(
  pdfium: Pdfium,
  page: number,
  visit: (layer: number, raw: string) => T,
): T {
  const layer = pdfium._FPDFText_LoadPage(page);
  if (!layer) return visit(0, '');
  try {
    return visit(layer, rawText(pdfium, layer));
  } finally {
    pdfium._FPDFText_ClosePage(layer);
  }
}

function rawText(pdfium: Pdfium, layer: number): string {
  const count = pdfium._FPDFText_CountChars(layer);
  if (count <= 0) return '';
  // Two UTF-16 code units for each character, and the zero at the end.
  const at = allocate(pdfium, (count * 2 + 1) * 2);
  try {
    const units = pdfium._FPDFText_GetText(layer, 0, count, at);
    const bytes = pdfium.HEAPU8.slice(at, at + Math.max(0, units - 1) * 2);
    const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes);
    return orderLigatures(pdfium, layer, text);
  } finally {
    pdfium.wasmExports.free(at);
  }
}

/** PDFium's character indexes (by code point of its text) of `start`–`end` in the cleaned text. */
export function textIndexes(raw: string, { start, end }: { start: number; end: number }): number[] {
  const indexes: number[] = [];
  let cleaned = 0;
  let index = 0;
  for (const character of raw) {
    if (cleaned >= end) break;
    const length = cleanText(character).length;
    if (length > 0 && cleaned + length > start) indexes.push(index);
    cleaned += length;
    index += 1;
  }
  return indexes;
}
