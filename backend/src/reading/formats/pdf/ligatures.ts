import { allocate, type Pdfium } from './pdfium.ts';

/** An alef before a lam: PDFium also gives the ligature of lam and alef so, because it reverses its letters with the line. */
const ALEF_LAM = /[آأإا]ل/g;

/** Puts the letters of Arabic ligatures in the order in which they are read; the length of the text stays. */
export function orderLigatures(pdfium: Pdfium, layer: number, text: string): string {
  if (!/[آأإا]ل/.test(text)) return text;
  // FS_RECTF: four floats, for each of two letters.
  const at = allocate(pdfium, 32);
  const boxAt = (index: number, to: number): boolean => {
    const character = pdfium._FPDFText_GetCharIndexFromTextIndex(layer, index);
    return character >= 0 && pdfium._FPDFText_GetLooseCharBox(layer, character, to) !== 0;
  };
  /** The letters of one sign have one place. */
  const isOneSign = (index: number): boolean => {
    if (!boxAt(index, at) || !boxAt(index + 1, at + 16)) return false;
    const boxes = Buffer.from(pdfium.HEAPU8.slice(at, at + 32));
    return boxes.subarray(0, 16).equals(boxes.subarray(16));
  };
  let index = 0;
  let seen = 0;
  try {
    return text.replaceAll(ALEF_LAM, (letters, offset: number) => {
      // PDFium counts characters, of which some have two code units.
      for (; seen < offset; seen += 1) if (!isLowSurrogate(text, seen)) index += 1;
      return isOneSign(index) ? `${letters[1]}${letters[0]}` : letters;
    });
  } finally {
    pdfium.wasmExports.free(at);
  }
}

const isLowSurrogate = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00;
