import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';
import { UnreadableFileError } from '../../port.ts';

type Handle = number;
/** Writes a box of a page or an object to four places as floats; 0 when the page itself has none. */
type PageBox = (page: Handle, left: number, bottom: number, right: number, top: number) => number;

/** What is called of PDFium (public/fpdfview.h, fpdf_text.h, fpdf_annot.h, fpdf_flatten.h); handles and pointers are numbers, 0 is none. */
export interface Pdfium {
  _FPDF_InitLibrary: () => void;
  _FPDF_LoadMemDocument: (at: number, size: number, password: number) => Handle;
  _FPDF_GetLastError: () => number;
  _FPDF_GetPageCount: (doc: Handle) => number;
  _FPDF_GetPageLabel: (doc: Handle, index: number, at: number, bytes: number) => number;
  _FPDF_LoadPage: (doc: Handle, index: number) => Handle;
  _FPDF_ClosePage: (page: Handle) => void;
  _FPDF_GetPageWidth: (page: Handle) => number;
  _FPDF_GetPageHeight: (page: Handle) => number;
  _FPDFPage_CountObjects: (page: Handle) => number;
  _FPDFPage_GetObject: (page: Handle, index: number) => Handle;
  _FPDFPageObj_GetType: (object: Handle) => number;
  _FPDFPageObj_GetBounds: PageBox;
  _FPDFPageObj_SetIsActive: (object: Handle, isActive: number) => number;
  _FPDFFormObj_CountObjects: (form: Handle) => number;
  _FPDFFormObj_GetObject: (form: Handle, index: number) => Handle;
  _FPDFPage_GetMediaBox: PageBox;
  _FPDFPage_GetCropBox: PageBox;
  _FPDF_CreateNewDocument: () => Handle;
  _FPDF_CloseDocument: (doc: Handle) => void;
  _FPDF_ImportPagesByIndex: (
    ...args: [to: Handle, from: Handle, indexesAt: number, length: number, at: number]
  ) => number;
  _FPDFPage_GetAnnotCount: (page: Handle) => number;
  _FPDFPage_GetAnnot: (page: Handle, index: number) => Handle;
  _FPDFPage_CloseAnnot: (annotation: Handle) => void;
  _FPDFAnnot_GetSubtype: (annotation: Handle) => number;
  _FPDFAnnot_GetFlags: (annotation: Handle) => number;
  _FPDFAnnot_GetAP: (annotation: Handle, mode: number, at: number, bytes: number) => number;
  _FPDFAnnot_GetStringValue: (
    annotation: Handle,
    keyAt: number,
    at: number,
    bytes: number,
  ) => number;
  _FPDFPage_Flatten: (page: Handle, usage: number) => number;
  _FPDF_PageToDevice: (
    ...args: [
      page: Handle,
      left: number,
      top: number,
      width: number,
      height: number,
      rotate: number,
      x: number,
      y: number,
      deviceX: number,
      deviceY: number,
    ]
  ) => number;
  _FPDF_RenderPageBitmap: (
    ...args: [
      bitmap: Handle,
      page: Handle,
      left: number,
      top: number,
      width: number,
      height: number,
      rotate: number,
      flags: number,
    ]
  ) => void;
  _FPDFBitmap_CreateEx: (
    width: number,
    height: number,
    format: number,
    at: number,
    stride: number,
  ) => Handle;
  _FPDFBitmap_FillRect: (
    bitmap: Handle,
    left: number,
    top: number,
    width: number,
    height: number,
    color: number,
  ) => void;
  _FPDFBitmap_Destroy: (bitmap: Handle) => void;
  _FPDFText_LoadPage: (page: Handle) => Handle;
  _FPDFText_ClosePage: (text: Handle) => void;
  _FPDFText_CountChars: (text: Handle) => number;
  _FPDFText_GetText: (text: Handle, start: number, count: number, at: number) => number;
  _FPDFText_GetCharIndexFromTextIndex: (text: Handle, index: number) => number;
  _FPDFText_GetLooseCharBox: (text: Handle, index: number, at: number) => number;
  wasmExports: { malloc: (bytes: number) => number; free: (at: number) => void };
  /** A new array whenever the memory has grown: do not keep it. */
  HEAPU8: Uint8Array;
}

const PASSWORD_NEEDED = 4;
const SECURITY_UNKNOWN = 5;

/**
 * Memory in PDFium.
 * @throws UnreadableFileError `too_complex` when none is left
 */
export function allocate(pdfium: Pdfium, bytes: number): number {
  const at = pdfium.wasmExports.malloc(bytes);
  if (at === 0) throw new UnreadableFileError('too_complex', `No memory for ${bytes} bytes.`);
  return at;
}

/** Floats in PDFium's memory. */
export const floatsAt = (pdfium: Pdfium, at: number, count: number): number[] => [
  ...new Float32Array(pdfium.HEAPU8.slice(at, at + 4 * count).buffer),
];

export interface PdfDocument {
  pdfium: Pdfium;
  handle: Handle;
  pageCount: number;
  /** Calls `visit` with page `n` (from 1), null when it cannot be loaded. */
  withPage: <T>(n: number, visit: (page: Handle | null) => T) => T;
}

let last: { path: string; document: Promise<PdfDocument> } | undefined;

/**
 * The document of a path whose file never changes. It stays open for the next call.
 * @throws UnreadableFileError
 */
export function openPdf(path: string): Promise<PdfDocument> {
  if (last?.path !== path) last = { path, document: open(path) };
  return last.document;
}

async function open(path: string): Promise<PdfDocument> {
  const wasm = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm');
  const loaded = await PDFiumModule({ wasmBinary: readFileSync(wasm).buffer });
  const pdfium = loaded as unknown as Pdfium;
  pdfium._FPDF_InitLibrary();
  const { at, size } = copyFile(pdfium, path);
  const doc = pdfium._FPDF_LoadMemDocument(at, size, 0);
  if (!doc) throw refusal(pdfium._FPDF_GetLastError());
  return {
    pdfium,
    handle: doc,
    pageCount: pdfium._FPDF_GetPageCount(doc),
    withPage: (n, visit) => {
      const page = pdfium._FPDF_LoadPage(doc, n - 1);
      if (!page) return visit(null);
      try {
        return visit(page);
      } finally {
        pdfium._FPDF_ClosePage(page);
      }
    },
  };
}

/** Reads the file directly into PDFium's memory, so that it is in memory once. */
function copyFile(pdfium: Pdfium, path: string): { at: number; size: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const at = allocate(pdfium, size);
    for (let done = 0; done < size; ) {
      const read = readSync(file, pdfium.HEAPU8, at + done, size - done, done);
      if (read === 0) throw new UnreadableFileError('damaged', 'The file became shorter.');
      done += read;
    }
    return { at, size };
  } finally {
    closeSync(file);
  }
}

function refusal(error: number): UnreadableFileError {
  const encrypted = error === PASSWORD_NEEDED || error === SECURITY_UNKNOWN;
  return new UnreadableFileError(encrypted ? 'encrypted' : 'damaged', `PDFium error ${error}`);
}
