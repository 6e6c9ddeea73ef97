// Numbers and rules about files that backend and frontend share; without schemas, so that pages load no zod for them.

const MB = 1024 * 1024;

/** Files of one message. */
export const MAX_FILES_PER_MESSAGE = 10;
/** A guest's files per message. */
export const MAX_GUEST_FILES_PER_MESSAGE = 1;
/** Largest file that can be attached from the chat; the file library takes what the plan allows. */
export const MAX_CHAT_FILE_BYTES = 25 * MB;
/** Largest file of a guest. */
export const MAX_GUEST_FILE_BYTES = 5 * MB;
/** Longest file name, in characters; longer names are cut before the extension. */
export const MAX_FILE_NAME_LENGTH = 200;
/** Stored bytes of one user, by plan. */
export const STORAGE_BYTES = { guest: 50 * MB, starter: 1024 * MB, pro: 20 * 1024 * MB } as const;
/** Files above this size go to the store in parts, so that an interrupted upload continues. */
export const MULTIPART_FROM_BYTES = 20 * MB;
/** Smallest part of a multipart upload except the last one, and most parts (limits of S3). */
export const MIN_PART_BYTES = 5 * MB;
export const MAX_PARTS = 10_000;
/** Every part of an upload of `size` bytes has this length, except the last one: addresses of parts are signed for it. */
export const partBytesOf = (size: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS));
/** Files per page of GET /api/files. */
export const FILE_PAGE_SIZE = 50;

/** A citation in the text of a reply: a Markdown link whose address is `#source=<fileId>,<page>,<start>,<end>`. */
export interface SourceRef {
  fileId: string;
  /** From 1. */
  page: number;
  /** UTF-16 code units in the text of that page; `end` is exclusive. */
  start: number;
  end: number;
}

/** The address of a citation's link. */
export const sourceHref = ({ fileId, page, start, end }: SourceRef): string =>
  `#source=${fileId},${page},${start},${end}`;

const SOURCE_HREF = /^#source=([0-9a-f]{24}),(\d{1,7}),(\d{1,9}),(\d{1,9})$/;

/** What a citation's link points to; null for any other address. */
export function parseSourceHref(href: string): SourceRef | null {
  const [, fileId, page, start, end] = SOURCE_HREF.exec(href) ?? [];
  if (fileId === undefined) return null;
  return { fileId, page: Number(page), start: Number(start), end: Number(end) };
}
