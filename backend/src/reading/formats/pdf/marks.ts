import { type PageRect, UnreadableFileError } from '../../port.ts';
import { type Box, withCharBoxes } from './char-boxes.ts';
import { hyphensOf } from './hyphens.ts';
import { isNoise } from './noise.ts';
import { cleanText, textIndexes } from './page-text.ts';
import { openPdf } from './pdfium.ts';
import { isBeside } from './place-lines.ts';
import { withOrderedPage } from './read-order.ts';

/** Where `start`–`end` of the `text` of a page stands, one rectangle for each line. @throws UnreadableFileError */
export async function markPdfPage(file: {
  path: string;
  n: number;
  text: string;
  start: number;
  end: number;
}): Promise<PageRect[]> {
  const document = await openPdf(file.path);
  const boxes = withOrderedPage(document, file.n, (page) => {
    if (page === null) throw new UnreadableFileError('damaged', `There is no page ${file.n}.`);
    const { handle, layer, raw, indexes } = page;
    // The text of a font that does not say its letters was recognised, if at all.
    if (layer === 0 || isNoise(cleanText(raw))) return [];
    return withCharBoxes(document.pdfium, { page: handle, layer }, (boxOf) =>
      textIndexes(hyphensOf(file.text)(raw), file)
        .map((at) => (indexes ? (indexes[at] ?? -1) : at))
        .flatMap((index) => (index < 0 ? [] : (onPage(boxOf(index)) ?? []))),
    );
  });
  return mergeLines(boxes).map(({ left, top, right, bottom }) => ({
    left,
    top,
    width: right - left,
    height: bottom - top,
  }));
}

/** The part of a box that is on the page. */
const onPage = (box: Box | null): Box | null =>
  box && {
    left: share(box.left),
    right: share(box.right),
    top: share(box.top),
    bottom: share(box.bottom),
  };

const share = (value: number): number => Math.min(1, Math.max(0, value));

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

/** The next letter of turned text touches the last one above or below it and is as wide. */
function isBelow(last: Box, box: Box): boolean {
  const common = Math.min(last.right, box.right) - Math.max(last.left, box.left);
  const gap = Math.max(last.top, box.top) - Math.min(last.bottom, box.bottom);
  const isAsWide = common > 0.9 * Math.max(last.right - last.left, box.right - box.left);
  return isAsWide && gap < 0.5 * (box.bottom - box.top);
}
