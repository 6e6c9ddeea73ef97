import { type Box, type BoxOf, withCharBoxes } from './char-boxes.ts';
import { type FlatPage, withFlatPage } from './flatten.ts';
import { withText } from './page-text.ts';
import { allocate, floatsAt, type PdfDocument, type Pdfium } from './pdfium.ts';
import { LINE_END, placeLines, SPACE } from './place-lines.ts';

/** A page as it is read. */
export interface OrderedPage {
  handle: number;
  /** The page of the document, which has its annotations still. */
  source: number;
  /** Its text layer; 0 is none. */
  layer: number;
  /** PDFium's text in the order in which it is read. */
  raw: string;
  /** The index in PDFium's text of each character of `raw`, below 0 for none; as it is when left out. */
  indexes?: readonly number[];
}

/** Calls `visit` with page `n` (from 1), with what is filled into it where it stands; null when it cannot be loaded. */
export function withOrderedPage<T>(
  document: PdfDocument,
  n: number,
  visit: (page: OrderedPage | null) => T,
): T {
  const { pdfium } = document;
  return withFlatPage(document, n, (page) =>
    page === null
      ? visit(null)
      : withText(pdfium, page.handle, (layer, raw) =>
          visit({
            handle: page.handle,
            source: page.source,
            layer,
            ...order(pdfium, { ...page, layer, raw }),
          }),
        ),
  );
}

function order(
  pdfium: Pdfium,
  { handle, contentLength, layer, raw }: FlatPage & { layer: number; raw: string },
): Pick<OrderedPage, 'raw' | 'indexes'> {
  const isFilledIn = raw.slice(contentLength).trim() !== '';
  const isCropped = raw !== '' && isSmaller(pdfium, handle);
  if (!isFilledIn && !isCropped) return { raw };
  const chars = Array.from(raw);
  return withCharBoxes(pdfium, { page: handle, layer }, (boxOf) => {
    const all = isFilledIn
      ? placeLines(chars, Array.from(raw.slice(0, contentLength)).length, boxOf)
      : chars.map((_, index) => index);
    const indexes = isCropped ? withoutHidden(chars, all, boxOf) : all;
    return { raw: indexes.map((index) => characterOf(chars, index)).join(''), indexes };
  });
}

function characterOf(chars: readonly string[], index: number): string {
  if (index === SPACE) return ' ';
  return index === LINE_END ? '\n' : (chars[index] ?? '');
}

/** Whether only a part of the page is shown: half of a spread, say. */
function isSmaller(pdfium: Pdfium, page: number): boolean {
  const at = allocate(pdfium, 16);
  const read = (box: Pdfium['_FPDFPage_GetCropBox']) =>
    box(page, at, at + 4, at + 8, at + 12) ? floatsAt(pdfium, at, 4) : null;
  try {
    const crop = read(pdfium._FPDFPage_GetCropBox);
    const media = crop && read(pdfium._FPDFPage_GetMediaBox);
    // A page that inherits its media box has no own one.
    return (
      crop?.some((side, index) => !(Math.abs(side - (media?.[index] ?? Number.NaN)) < 1)) ?? false
    );
  } finally {
    pdfium.wasmExports.free(at);
  }
}

/** The characters that stand on the part of the page that is shown, without lines that are empty then. */
function withoutHidden(
  chars: readonly string[],
  indexes: readonly number[],
  boxOf: BoxOf,
): number[] {
  const shown: number[] = [];
  let isAfterGap = false;
  for (const index of indexes) {
    const box = index < 0 ? null : boxOf(index);
    const character = characterOf(chars, index);
    if (box && !isShown(box)) {
      isAfterGap = true;
    } else if (/[^\s\uFFFE]/.test(character)) {
      isAfterGap = false;
      shown.push(index);
    } else if (!isAfterGap || needsBlank(characterOf(chars, shown.at(-1) ?? LINE_END), character)) {
      shown.push(index);
    }
  }
  // Nothing follows the last line end.
  const end = shown.findLastIndex((index) => characterOf(chars, index).trim() !== '') + 1;
  return isAfterGap ? shown.slice(0, end) : shown;
}

/** Whether white space or a line end still separates something after what stood before it was left out. */
const needsBlank = (before: string, blank: string): boolean =>
  blank === '\n' ? before !== '\n' : blank === ' ' && before.trim() !== '';

function isShown({ left, right, top, bottom }: Box): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}
