import * as z from 'zod';
import type { Person } from './access.ts';
import { Cursor, Id, Ids } from './id.ts';
import type { ReaderRole } from './roles.ts';

/**
 * The state of a file after its upload. `storing`: the object is being put in its place; `waiting` and `reading`: its text is being
 * extracted; `ready`: replies can use it; `failed`: its text cannot be read, with the reason in `problem`. A failed file is stored: it can
 * be downloaded and attached.
 */
export type FileState = 'storing' | 'waiting' | 'reading' | 'ready' | 'failed';

/** Why the text of a file cannot be read. */
export type FileProblemCode =
  | 'encrypted'
  | 'damaged'
  | 'empty'
  | 'no_text'
  | 'too_complex'
  | 'timed_out'
  | 'unsupported'
  | 'internal';

export interface FileProblem {
  code: FileProblemCode;
  /** One or two sentences: what happened and what to do. */
  message: string;
}

/**
 * Why pages have less text than they show. `picture`: they are pictures or drawings whose text was not recognised; `no_text`: no text was
 * recognised in them; `font`: their fonts do not say which letters they show; `image`: pictures stand beside their text, in formats whose pictures are not
 * recognised; `object`: charts, formulas or embedded objects do, perhaps beside pictures.
 */
export type UnreadKind = 'picture' | 'no_text' | 'font' | 'image' | 'object';

/** Pages of one kind that were not read. */
export interface Unread {
  kind: UnreadKind;
  /** How many there are. */
  count: number;
  /** The first 100 of them, from 1. */
  pages: number[];
}

/** The view of a file: PDF pages and images as pictures, tables as tables, the others as text. `other` has no view. */
export type FileKind =
  | 'pdf'
  | 'image'
  | 'table'
  | 'text'
  | 'markdown'
  | 'code'
  | 'document'
  | 'other';

/** A file of a user, in the library and on chips. */
export interface UserFile {
  id: string;
  name: string;
  /** Media type by its bytes, else by its name; never by the client's statement. */
  type: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  kind: FileKind;
  state: FileState;
  problem?: FileProblem;
  /** While `reading`: the progress. */
  progress?: { done: number; total: number };
  /** Pages (slides, sheets, chapters; 1 for files without pages), once read. */
  pages?: number;
  /** True when only the beginning of a very long text was read. */
  truncated?: boolean;
  /** What of it was not read; absent when there is nothing, or for an image of one page. */
  unread?: Unread[];
  /** While the text of its pictures is recognised: the pages that are done. A file can be `ready` before. */
  recognition?: { done: number; total: number };
  /** Path of this server; redirects to a short-lived URL of the object. */
  url: string;
  /** Path of a picture of it at most 400 px wide, if any. */
  thumbnailUrl?: string;
  /** ISO 8601. */
  createdAt: string;
  /** The conversations whose messages name it; their titles come from GET /api/conversations?ids=. */
  conversationIds: string[];
  /** When it is shared: what the user may do with it, and whose it is. Its conversations are shown to its owner only. */
  shared?: { role: ReaderRole; owner: Person };
  /** Only a conversation opens it: the user can read and download it, and cannot name it in messages. */
  isReadOnly?: true;
}

/**
 * GET /api/files: the user's files and those shared with the user, newest first. `q` searches in names; `ids` selects, also among the files
 * that only conversations open.
 */
export const ListFilesQuery = z.object({
  q: z.string().trim().max(100).optional(),
  cursor: Cursor.optional(),
  ids: Ids(100).optional(),
});
export type ListFilesQuery = z.input<typeof ListFilesQuery>;

export interface FileList {
  files: UserFile[];
  /** Cursor of the next page; null on the last one. */
  next: string | null;
  storage: StorageUse;
}

/** Stored bytes of a user's files, and their limit. */
export interface StorageUse {
  used: number;
  limit: number;
}

/** POST /api/objects/upload. */
export const CreateUploadBody = z.object({
  fileName: z.string().max(1_000).optional(),
  fileType: z.string().max(200).optional(),
  /** The URL is signed for a body of exactly this size. */
  fileSize: z.int().min(0),
  /** `chat` uploads also have the limit of messages. */
  purpose: z.enum(['chat', 'library']).default('chat'),
});
export type CreateUploadBody = z.input<typeof CreateUploadBody>;

export interface UploadTarget {
  /** Signed URL for a PUT of the bytes. */
  uploadURL: string;
  /** The object's key; /api/objects/attach accepts it, or the URL. */
  key: string;
  method: 'PUT';
  /** Headers that the PUT must have besides its content-length, which HTTP clients set themselves. */
  headers: Record<string, string>;
  /** Seconds until the URL expires. */
  expiresIn: number;
}

/** POST /api/objects/attach: turns an uploaded object into a file. Repeating it returns the same file. */
export const AttachBody = z.object({
  /** The URL from /api/objects/upload, or the `location` of a multipart upload. */
  uploadURL: z.string().min(1).max(4_000),
  fileName: z.string().min(1, 'Name the file.').max(1_000),
  fileType: z.string().max(200).default(''),
  fileSize: z.int().min(0).optional(),
  purpose: z.enum(['chat', 'library']).default('chat'),
});
export type AttachBody = z.input<typeof AttachBody>;

/** Answer of attach and of the form upload (POST /api/files, multipart field `file`). */
export interface AttachedFile {
  id: string;
  bucket: string;
  key: string;
  filename: string;
  mime: string;
  bytes: number;
  objectPath: string;
  name: string;
  type: string;
  size: number;
  file: UserFile;
}

/** A file in a send: by its id, or by the answer of attach. */
export const SentFile = z
  .object({
    id: Id.optional(),
    objectPath: z.string().max(200).optional(),
    key: z.string().max(1_000).optional(),
    /** The name in this message; by default the file's own. */
    name: z.string().max(1_000).optional(),
  })
  .refine((file) => file.id ?? file.objectPath ?? file.key, 'Name the file by its id.');
export type SentFile = z.input<typeof SentFile>;

/** Metadata of Uppy; other fields are ignored. Values in a query are texts. */
export const UploadMetadata = z.object({
  size: z.coerce.number().int().min(0),
  purpose: z.enum(['chat', 'library']).catch('chat'),
});
/** POST /api/s3/multipart. */
export const CreateMultipartBody = z.object({
  filename: z.string().min(1).max(1_000),
  type: z.string().max(200).nullish(),
  metadata: UploadMetadata,
});
export type CreateMultipartBody = z.input<typeof CreateMultipartBody>;
export interface MultipartUpload {
  key: string;
  uploadId: string;
  bucket: string;
}
/** The object of every other call about that upload. */
export const MultipartQuery = z.object({ key: z.string().min(1).max(1_000) });
/** POST /api/s3/multipart/{uploadId}/complete. */
export const CompleteMultipartBody = z.object({
  parts: z
    .array(z.object({ PartNumber: z.int().min(1).max(10_000), ETag: z.string().min(1).max(200) }))
    .min(1)
    .max(10_000),
});
export type CompleteMultipartBody = z.input<typeof CompleteMultipartBody>;

/** GET /api/files/{id}/pages/{n}: the text of one page, from 1. */
export interface FilePage {
  n: number;
  /** The number that is printed on the page; left out when it is `n` or unknown. */
  label?: string;
  /** The number of pages of the file. */
  pages: number;
  text: string;
  /** For a table: its rows, with the range of each cell in `text`. */
  rows?: { text: string; start: number; end: number }[][];
  /** The names of the columns, when the rows continue the table of an earlier page. Without them the first row names them. */
  columns?: string[];
  /** For a page with a picture: pixels at 100%. */
  picture?: { width: number; height: number };
}

/** GET /api/files/{id}/pages/{n}/picture: pixels; rounded up to one of a few widths. */
export const PagePictureQuery = z.object({
  width: z.coerce.number().int().min(1).max(10_000).default(1_200),
});

/** UTF-16 code units in the text of the page; `end` is exclusive. */
export const PageMarksQuery = z.object({
  start: z.coerce.number().int().min(0),
  end: z.coerce.number().int().min(0),
});

/** GET /api/files/{id}/pages/{n}/marks?start&end: the rectangles of that text on the picture, in shares (0–1) of its size. */
export interface PageMarks {
  rects: { left: number; top: number; width: number; height: number }[];
}

export { FILE_PAGE_SIZE } from './limits.ts';
