import type { FileKind, FileProblemCode, Unread, UnreadKind } from '../contract/files.ts';

/** One page (slide, sheet, chapter) of a file's text. */
export interface ReadPage {
  /** From 1. */
  n: number;
  /** The number that is printed on the page, as the file states it; left out when it is `n`. */
  label?: string;
  text: string;
  /** For a table: where its rows begin in `text`, in UTF-16 code units. `rowsOf` has their cells. */
  rowsStart?: number;
  /** For PDF and images: size of the page at 100%, in pixels (PDF: points). */
  picture?: { width: number; height: number };
  /** Why it has less text than it shows; absent when all of it was read. */
  unread?: UnreadKind;
}

/** What the bytes of a file are. */
export interface FileType {
  /** Media type by its bytes, else by its name; `application/octet-stream` when both are unknown. */
  type: string;
  kind: FileKind;
}

/** The text of a file. */
export interface ReadFile extends FileType {
  pages: ReadPage[];
  /** True when the file has more text or pages than the limits allow; `pages` is its beginning. */
  truncated: boolean;
  /** What of its pages cannot be read, of PDF and images; left out when there is nothing. */
  unread?: Unread[];
  /** Its first page as a WebP picture, when that was asked for and can be drawn. */
  thumbnail?: Buffer;
}

export interface ReadOptions {
  /** A file on the local disk. It is not changed. */
  path: string;
  /** Its name for the user, which distinguishes text formats. */
  name: string;
  /** In pixels; also draws the first page of a PDF or an image. */
  thumbnailWidth?: number;
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

/** The order of drawing: files of one group take turns with those of others. */
export interface PageTurn {
  group?: string;
  /** Aborts the waiting; drawing is not interrupted. */
  signal?: AbortSignal;
}

/** A rectangle on a page, in shares (0–1) of its width and height. */
export interface PageRect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The file cannot be read; the code gives the reason. Any other error is a fault of the server, and worth a retry. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
  constructor(
    readonly code: FileProblemCode,
    detail?: string,
  ) {
    super(detail ?? code);
  }
}

/** Tasks of a child with the files of a folder, defined by features. */
export const CHILD_TASKS = ['readCard', 'writeCard', 'readImport'] as const;
export type ChildTasks = Record<(typeof CHILD_TASKS)[number], (folder: string) => Promise<Buffer>>;

/**
 * Reads untrusted files in child processes with limits of time and memory, one process per file, so that a hostile file can only crash its
 * child.
 */
export interface FileReader {
  /**
   * Text by page. The pages of a scan have no text and can only be viewed as pictures.
   * @throws UnreadableFileError
   */
  read: (options: ReadOptions) => Promise<ReadFile>;
  /** A page of a PDF or an image as a WebP picture `width` pixels wide (never wider than 2,000). @throws UnreadableFileError */
  renderPage: (
    options: { path: string; name: string; n: number; width: number } & PageTurn,
  ) => Promise<Buffer>;
  /**
   * The text in the picture of a page of a PDF or an image; empty when there is none. It takes seconds, and waits until no other call
   * waits. `withText` also reads what the page has as text.
   * @throws UnreadableFileError
   */
  recognisePage: (
    options: { path: string; name: string; n: number; withText: boolean } & PageTurn,
  ) => Promise<string>;
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
   * An image for the model: JPEG or PNG, its longer side at most 1,568 pixels, without metadata.
   * @throws UnreadableFileError
   */
  imageForModel: (options: {
    path: string;
    name: string;
    signal?: AbortSignal;
  }) => Promise<{ type: string; bytes: Buffer }>;
  /**
   * A PNG image for a character card: redrawn as a PNG of at most 400 × 600 pixels and 256 colours, without metadata.
   * @throws UnreadableFileError, `unsupported` for another format
   */
  imageForCard: (options: { path: string; name: string } & PageTurn) => Promise<Buffer>;
  /**
   * The result of a child's task for the files in the folder `path`.
   * @throws UnreadableFileError when it takes too long or too much memory
   */
  runTask: (options: { task: keyof ChildTasks; path: string } & PageTurn) => Promise<Buffer>;
}
