import { MAX_PICTURE_WIDTH, OCR_WIDTH } from '../../limits.ts';
import { UnreadableFileError } from '../../port.ts';
import { loadSharp, type Picture, WEBP } from '../load-sharp.ts';
import { withFlatPage } from './flatten.ts';
import { hideText } from './objects.ts';
import { allocate, openPdf, type PdfDocument, type Pdfium } from './pdfium.ts';

/** Limits the width of a narrow and very long page. */
const MAX_PIXELS = 12_000_000;
const BGRA = 4;
const WHITE = 0xffffffff;
/** FPDF_ANNOT and FPDF_REVERSE_BYTE_ORDER: with annotations, as RGBA. */
const DRAW_FLAGS = 0x01 | 0x10;

/** Page `n` as WebP, `width` pixels wide. @throws UnreadableFileError */
export async function renderPdfPage(file: {
  path: string;
  n: number;
  width: number;
}): Promise<Picture> {
  const image = await drawPage(await openPdf(file.path), file);
  return { type: 'image/webp', bytes: await image.webp(WEBP).toBuffer() };
}

/** Page `n` as a PNG whose text can be recognised, without its text when that is known already. @throws UnreadableFileError */
export async function pdfPageForOcr({
  path,
  n,
  withText,
}: {
  path: string;
  n: number;
  withText: boolean;
}): Promise<Buffer> {
  const image = await drawPage(await openPdf(path), { n, width: OCR_WIDTH, withText });
  return image.png().toBuffer();
}

/** @throws UnreadableFileError `damaged` when there is no such page */
async function drawPage(
  document: PdfDocument,
  { n, width, withText = true }: { n: number; width: number; withText?: boolean },
) {
  const { pdfium } = document;
  const sharp = await loadSharp();
  // PDFium draws no form fields with a page, only what is its content.
  const drawn = withFlatPage(document, n, (page) => {
    if (page === null) throw new UnreadableFileError('damaged', `There is no page ${n}.`);
    if (!withText) hideText(pdfium, page.handle);
    return draw(pdfium, page.handle, sizeOf(pdfium, page.handle, width));
  });
  return sharp(drawn.pixels, { raw: { width: drawn.width, height: drawn.height, channels: 4 } });
}

function sizeOf(pdfium: Pdfium, page: number, wanted: number) {
  const pageWidth = Math.max(1, pdfium._FPDF_GetPageWidth(page));
  const ratio = Math.max(1, pdfium._FPDF_GetPageHeight(page)) / pageWidth;
  const width = Math.min(wanted, MAX_PICTURE_WIDTH, Math.floor(Math.sqrt(MAX_PIXELS / ratio)));
  const clamped = Math.max(1, width);
  return { width: clamped, height: Math.max(1, Math.min(Math.round(clamped * ratio), 16_000)) };
}

function draw(pdfium: Pdfium, page: number, { width, height }: { width: number; height: number }) {
  const bytes = width * height * 4;
  const at = allocate(pdfium, bytes);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BGRA, at, width * 4);
  try {
    if (!bitmap) throw new UnreadableFileError('too_complex', 'No bitmap.');
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAW_FLAGS);
    return { width, height, pixels: Buffer.from(pdfium.HEAPU8.slice(at, at + bytes)) };
  } finally {
    if (bitmap) pdfium._FPDFBitmap_Destroy(bitmap);
    pdfium.wasmExports.free(at);
  }
}
