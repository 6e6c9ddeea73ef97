// Limits of reading one file. docs/product.md, 'Reading files', has the limits that users notice.

/** Characters (UTF-16 code units) of all pages; a longer text is cut there. */
export const MAX_TEXT_LENGTH = 8_000_000;
/** Pages; a longer file is cut there. */
export const MAX_PAGES = 10_000;
/** Characters of one page; a longer page is cut there. */
export const MAX_PAGE_LENGTH = 400_000;
/** Text without pages is cut into pages of this length, at line ends. */
export const TEXT_PAGE_LENGTH = 20_000;
/** Rows of one page of a table, and their characters; a longer row has a page for itself. */
export const TABLE_PAGE_ROWS = 200;
export const TABLE_PAGE_LENGTH = 50_000;
/** Cells of one row of a sheet; further cells are left out. A sheet may declare 16,384 of them for each row. */
export const MAX_ROW_CELLS = 500;
/** As MAX_ROW_CELLS, for CSV and TSV: as many as the row of a sheet may have. */
export const MAX_TEXT_ROW_CELLS = 16_384;
/** Maximum width of a page's picture, in pixels. */
export const MAX_PICTURE_WIDTH = 2_000;
/** Longer side of an image for the model, in pixels. */
export const MODEL_IMAGE_SIDE = 1_568;
/** Maximum number of pixels of an image that is decoded. */
export const MAX_IMAGE_PIXELS = 100_000_000;
/** As MAX_IMAGE_PIXELS for HEIC, whose decoder needs several times the memory. */
export const MAX_HEIC_PIXELS = 32_000_000;

export const TIMEOUT_MS = 60_000;
/** A child that nobody waits for at a screen may take this many times its timeout: with its low priority, a busy machine runs it seldom. */
export const BUSY_FACTOR = 5;
/** For one page's picture or marks. */
export const PICTURE_TIMEOUT_MS = 20_000;
/** How long a drawing child waits for another page of its file, in ms. */
export const KEPT_CHILD_MS = 30_000;
/** After this working time a child draws no further page, in ms. One more page stays below its CPU time. */
export const KEPT_WORK_MS = 40_000;
/** CPU time of a child that draws or recognises pages. */
export const KEPT_CPU_SECONDS = 170;
/** For the text of one picture, also when it is turned. */
export const OCR_TIMEOUT_MS = 120_000;
/** Width of a recognised page, in pixels: 150 dpi on A4. */
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

/** Maximum size of a character card's picture, in pixels. */
export const CARD_SIZE = { width: 400, height: 600 };
