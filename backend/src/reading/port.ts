import type { FileKind, FileProblemCode } from '../contract/files.ts';

/** One page (slide, sheet, chapter) of a file's text. */
export interface ReadPage {
  /** From 1. */
  n: number;
  text: string;
  /** For a table: its rows, and where each cell's text stands in `text`, in UTF-16 code units. */
  rows?: { text: string; start: number; end: number }[][];
  /** For PDF and images: size of the page at 100%, in pixels (PDF: points). */
  picture?: { width: number; height: number };
}

/**
 * Why a page has less text than it shows: `picture`, recognition is off or its time was over; `no_text`, recognition found none;
 * `font`, its fonts do not say which letters they show.
 */
export const UNREAD_KINDS = ['picture', 'no_text', 'font'] as const;
export type UnreadKind = (typeof UNREAD_KINDS)[number];

/** Pages of one kind that were not read: how many there are, and the first of them. */
export interface Unread {
  kind: UnreadKind;
  count: number;
  pages: number[];
}

/** What the bytes of a file are. */
export interface FileType {
  /** Media type by its bytes, else by its name; `application/octet-stream` when neither says. */
  type: string;
  kind: FileKind;
}

/** The text of a file. */
export interface ReadFile extends FileType {
  pages: ReadPage[];
  /** True when the file has more text or pages than the limits admit; `pages` is its beginning. */
  truncated: boolean;
  /** What of its pages cannot be read, of PDF and images; left out when there is nothing. */
  unread?: Unread[];
  /** Its first page as a WebP picture, when that was asked for and can be drawn. */
  thumbnail?: Buffer;
}

export interface ReadOptions {
  /** A file on the local disk. It is not changed. */
  path: string;
  /** Its name as the user knows it: tells text formats apart. */
  name: string;
  /** Pixels; draws the first page of a PDF or an image, too. */
  thumbnailWidth?: number;
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

/** When a page is drawn: files of one group take turns with those of others. */
export interface PageTurn {
  group?: string;
  /** Aborts the waiting; a page that is being drawn is drawn to its end. */
  signal?: AbortSignal;
}

/** A rectangle on a page, in shares (0–1) of its width and height. */
export interface PageRect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The file cannot be read; the code says why. Any other error is a fault of the server, and worth another try. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
  constructor(
    readonly code: FileProblemCode,
    detail?: string,
  ) {
    super(detail ?? code);
  }
}

/** What a child does with the files of a folder; the features say how. */
export const CHILD_TASKS = ['readCard', 'writeCard', 'readImport'] as const;
export type ChildTasks = Record<(typeof CHILD_TASKS)[number], (folder: string) => Promise<Buffer>>;

/**
 * Reads untrusted files: in child processes with limits of time and memory, each for one file, so that a hostile file ends its child
 * and nothing else.
 */
export interface FileReader {
  /** Text by page. The pages of a scan have none: only their pictures can be looked at. @throws UnreadableFileError */
  read: (options: ReadOptions) => Promise<ReadFile>;
  /** A page of a PDF or an image as a WebP picture `width` pixels wide (never wider than 2,000). @throws UnreadableFileError */
  renderPage: (
    options: { path: string; name: string; n: number; width: number } & PageTurn,
  ) => Promise<Buffer>;
  /** Where `start`–`end` of `text`, which `read` gave for page `n` of a PDF, stands. @throws UnreadableFileError */
  markPage: (
    options: {
      path: string;
      name: string;
      n: number;
      text: string;
      start: number;
      end: number;
    } & PageTurn,
  ) => Promise<PageRect[]>;
  /**
   * An image as the model takes it: JPEG or PNG, its longer side at most 1,568 pixels, without metadata.
   * @throws UnreadableFileError
   */
  imageForModel: (options: {
    path: string;
    name: string;
    signal?: AbortSignal;
  }) => Promise<{ type: string; bytes: Buffer }>;
  /**
   * A PNG image as a character card carries it: drawn anew as a PNG of at most 400 × 600 pixels and 256 colours, without metadata.
   * @throws UnreadableFileError, `unsupported` for what is no PNG
   */
  imageForCard: (options: { path: string; name: string } & PageTurn) => Promise<Buffer>;
  /**
   * What a task of the child makes of the files in the folder `path`.
   * @throws UnreadableFileError when it takes too long or too much memory
   */
  runTask: (options: { task: keyof ChildTasks; path: string } & PageTurn) => Promise<Buffer>;
}
