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

/** A line that is nothing but a number: '12', '- 12 -', 'Page 12 of 90'. */
const NUMBER_LINE =
  /^(?:(?:page|seite)\s)?[\s\-–—|]*(\d{1,4})[\s\-–—|]*(?:(?:of|von|\/)\s*\d{1,4})?$/i;
/** The beginning and the end of a page that may be such a line. */
const MAX_LINE_LENGTH = 40;
const MIN_NUMBERED_PAGES = 5;

/**
 * The numbers that are printed at the head or the foot of pages, by page: when more than half of all pages have one and it differs from
 * the page's own number by the same each time. Pages between them have none printed and count with them.
 */
export function printedNumbers(texts: readonly string[]): Map<number, string> {
  const offsets = texts.map((text, at) => numbersOn(text).map((number) => at + 1 - number));
  const counts = new Map<number, number>();
  for (const offset of offsets.flat()) counts.set(offset, (counts.get(offset) ?? 0) + 1);
  const [[offset, count] = [0, 0]] = [...counts].toSorted(([, a], [, b]) => b - a);
  const labels = new Map<number, string>();
  if (offset === 0 || count < MIN_NUMBERED_PAGES || count <= texts.length / 2) return labels;
  const first = offsets.findIndex((some) => some.includes(offset));
  const last = offsets.findLastIndex((some) => some.includes(offset));
  for (let n = first + 1; n <= last + 1; n += 1) labels.set(n, String(n - offset));
  return labels;
}

/** The numbers that are a line of their own at the head and at the foot of a page. */
function numbersOn(text: string): number[] {
  const lines = [
    text
      .slice(0, MAX_LINE_LENGTH)
      .trimStart()
      .split(/[\r\n]/, 1)[0],
    text
      .slice(-MAX_LINE_LENGTH)
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1),
  ];
  const numbers = lines.flatMap((line) => NUMBER_LINE.exec(line?.trim() ?? '')?.[1] ?? []);
  return [...new Set(numbers.map(Number))];
}
