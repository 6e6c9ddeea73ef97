import { allocate, type Pdfium } from './pdfium.ts';

/** Subtypes of annotations whose text a reader opens (fpdf_annot.h): notes, drawings and marks of text. Free text stands on the page. */
const WITH_COMMENT = new Set([1, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]);
/** Flags of annotations that are not shown: hidden, no view. */
const IS_HIDDEN = 2 | 32;
/** Bytes of UTF-16 of all comments of a page. */
const MAX_COMMENT_BYTES = 40_000;

/** The comments of a page with their authors, a line for each, below a title; empty without any. */
export function commentsOf(pdfium: Pdfium, page: number): string {
  const lines: string[] = [];
  const count = pdfium._FPDFPage_GetAnnotCount(page);
  let left = MAX_COMMENT_BYTES;
  for (let index = 0; index < count && left > 0; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (!annotation) continue;
    const isComment =
      WITH_COMMENT.has(pdfium._FPDFAnnot_GetSubtype(annotation)) &&
      (pdfium._FPDFAnnot_GetFlags(annotation) & IS_HIDDEN) === 0;
    const found = isComment
      ? ['T', 'Contents'].map((key) => readString(pdfium, annotation, key, left))
      : [];
    for (const { bytes } of found) left -= bytes;
    pdfium._FPDFPage_CloseAnnot(annotation);
    const [author, text] = found.map(({ value }) => value);
    if (text) lines.push(author ? `${author}: ${text}` : text);
  }
  return lines.length > 0 ? ['Comments:', ...lines].join('\n') : '';
}

/** A text of an annotation in one line, without a text longer than `limit`, and its length. */
function readString(pdfium: Pdfium, annotation: number, key: string, limit: number) {
  const keyAt = allocate(pdfium, key.length + 1);
  let at = 0;
  try {
    pdfium.HEAPU8.set(Buffer.from(`${key}\0`), keyAt);
    const bytes = pdfium._FPDFAnnot_GetStringValue(annotation, keyAt, 0, 0);
    if (bytes <= 2 || bytes > limit) return { value: '', bytes };
    at = allocate(pdfium, bytes);
    pdfium._FPDFAnnot_GetStringValue(annotation, keyAt, at, bytes);
    const units = pdfium.HEAPU8.slice(at, at + bytes - 2);
    const value = new TextDecoder('utf-16le').decode(units);
    // oxlint-disable-next-line no-control-regex
    return { value: value.replaceAll(/[\s\0]+/g, ' ').trim(), bytes };
  } finally {
    pdfium.wasmExports.free(keyAt);
    if (at !== 0) pdfium.wasmExports.free(at);
  }
}
