// Limits of reading one file. docs/product.md, 'Reading files', states those that users notice.

/** Characters (UTF-16 code units) of all pages; a longer text is cut there. */
export const MAX_TEXT_LENGTH = 8_000_000;
/** Pages; a longer file is cut there. */
export const MAX_PAGES = 10_000;
/** Characters of one page; a longer page is cut there. */
export const MAX_PAGE_LENGTH = 400_000;
/** Text without pages of its own is cut into pages of this length, at line ends. */
export const TEXT_PAGE_LENGTH = 20_000;
/** Rows of one page of a table. */
export const TABLE_PAGE_ROWS = 200;
/** Widest picture of a page, in pixels. */
export const MAX_PICTURE_WIDTH = 2_000;
/** Longer side of an image for the model, in pixels. */
export const MODEL_IMAGE_SIDE = 1_568;
/** Pixels of an image that is decoded at all. */
export const MAX_IMAGE_PIXELS = 100_000_000;
/** The same for HEIC, whose decoder needs several times the memory. */
export const MAX_HEIC_PIXELS = 32_000_000;

export const TIMEOUT_MS = 60_000;
/** For one page's picture or marks. */
export const PICTURE_TIMEOUT_MS = 20_000;
/** A child that draws waits so long for another page of its file, in ms. */
export const KEPT_CHILD_MS = 30_000;
/** A child that has worked for so long draws no further page, in ms. With one more page it stays below its CPU time. */
export const KEPT_WORK_MS = 40_000;
/** CPU time of a child that draws. */
export const KEPT_CPU_SECONDS = 70;
export const OCR_TIMEOUT_MS = 300_000;
/** After this long no further page is recognised; less than the time-out, so that the pages before are kept. */
export const OCR_BUDGET_MS = 240_000;
/** Width of a page that is recognised, in pixels: 150 dpi on A4. */
export const OCR_WIDTH = 1_240;
/** Characters of a page that is a picture all the same, with a stamp or a fax line, say. */
export const MAX_STAMP_LENGTH = 200;
/** Numbers of pages that are named of those that cannot be read. */
export const MAX_UNREAD_PAGES = 100;
/** Everything that a child may send back, in bytes. */
export const MAX_RESULT_BYTES = 128 * 1024 * 1024;

/** Data segment of a child in KB (`ulimit -d`): counts the heap, WebAssembly and buffers. */
export const CHILD_DATA_KB = 600_000;
/** JavaScript heap of a child in MB. */
export const CHILD_HEAP_MB = 256;

/** Largest picture of a character card, in pixels. */
export const CARD_SIZE = { width: 400, height: 600 };
