import { type PageRect, UnreadableFileError } from '../../port.ts';
import { textIndexes, withText } from './page-text.ts';
import { allocate, openPdf, type Pdfium } from './pdfium.ts';

/** Page size in device units while shares are computed, because coordinates are whole numbers there. */
const DEVICE = 100_000;
/** Letters are on one line when they share this part of the smaller height. */
const SAME_LINE = 0.5;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * The rectangles of `start`–`end` of a page's cleaned text, one per line.
 * @throws UnreadableFileError
 */
export async function markPdfPage(file: {
  path: string;
  n: number;
  start: number;
  end: number;
}): Promise<PageRect[]> {
  const { pdfium, withPage } = await openPdf(file.path);
  const boxes = withPage(file.n, (page) => {
    if (page === null) throw new UnreadableFileError('damaged', `There is no page ${file.n}.`);
    return withText(pdfium, page, (layer, raw) => {
      const indexes = textIndexes(raw, file);
      return layer === 0 ? [] : indexes.flatMap((index) => boxOf(pdfium, { page, layer, index }));
    });
  });
  return mergeLines(boxes).map(({ left, top, right, bottom }) => ({
    left,
    top,
    width: right - left,
    height: bottom - top,
  }));
}

/** The box of one character, in shares of the page as it is shown; none for line ends and similar characters. */
function boxOf(
  pdfium: Pdfium,
  { page, layer, index }: { page: number; layer: number; index: number },
): Box[] {
  const character = pdfium._FPDFText_GetCharIndexFromTextIndex(layer, index);
  // FS_RECTF: four floats; then two integers for the result of the conversion.
  const at = allocate(pdfium, 24);
  try {
    if (character < 0 || !pdfium._FPDFText_GetLooseCharBox(layer, character, at)) return [];
    const view = () => new DataView(pdfium.HEAPU8.buffer, at, 24);
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
      view().getFloat32(offset, true),
    );
    if (left === right || top === bottom) return [];
    const shown = (x: number, y: number) => {
      pdfium._FPDF_PageToDevice(page, 0, 0, DEVICE, DEVICE, 0, x, y, at + 16, at + 20);
      return { x: share(view().getInt32(16, true)), y: share(view().getInt32(20, true)) };
    };
    // Pages may be rotated, so either corner may be the upper left one.
    const [a, b] = [shown(left, top), shown(right, bottom)];
    return [
      {
        left: Math.min(a.x, b.x),
        right: Math.max(a.x, b.x),
        top: Math.min(a.y, b.y),
        bottom: Math.max(a.y, b.y),
      },
    ];
  } finally {
    pdfium.wasmExports.free(at);
  }
}

const share = (device: number): number => Math.min(1, Math.max(0, device / DEVICE));

/** Joins the boxes of consecutive characters on one line, or in one column of rotated text. */
function mergeLines(boxes: Box[]): Box[] {
  const lines: Box[] = [];
  let last: Box | undefined;
  for (const box of boxes) {
    const line = lines.at(-1);
    if (line && last && (isBeside(line, box) || isBelow(last, box))) {
      line.left = Math.min(line.left, box.left);
      line.right = Math.max(line.right, box.right);
      line.top = Math.min(line.top, box.top);
      line.bottom = Math.max(line.bottom, box.bottom);
    } else {
      lines.push({ ...box });
    }
    last = box;
  }
  return lines;
}

function isBeside(line: Box, box: Box): boolean {
  const common = Math.min(line.bottom, box.bottom) - Math.max(line.top, box.top);
  return common > SAME_LINE * Math.min(line.bottom - line.top, box.bottom - box.top);
}

/** The next letter of rotated text touches the last one above or below it and has the same width. */
function isBelow(last: Box, box: Box): boolean {
  const common = Math.min(last.right, box.right) - Math.max(last.left, box.left);
  const gap = Math.max(last.top, box.top) - Math.min(last.bottom, box.bottom);
  const isAsWide = common > 0.9 * Math.max(last.right - last.left, box.right - box.left);
  return isAsWide && gap < 0.5 * (box.bottom - box.top);
}
