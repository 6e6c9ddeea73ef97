import { createHash } from 'node:crypto';
import type { FileKind, FileProblem, FileState } from '../../../contract/files.ts';

/** A file of a user as it is stored. */
export interface FileRecord {
  id: string;
  ownerId: string;
  name: string;
  type: string;
  kind: FileKind;
  /** Bytes. */
  size: number;
  sha256: string;
  state: FileState;
  problem?: FileProblem;
  progress?: { done: number; total: number };
  pages?: number;
  /** UTF-8 bytes of the text of all pages; absent before reading. */
  textBytes?: number;
  truncated: boolean;
  hasThumbnail: boolean;
  /** Uploaded into the library: it stays when its conversations are deleted. */
  inLibrary: boolean;
  conversationIds: string[];
  createdAt: Date;
}

/** A PDF with pages of pictures without text: it can be viewed, but not searched. */
export const isScan = ({ state, problem, pages }: FileRecord): boolean =>
  state === 'failed' && problem?.code === 'no_text' && pages !== undefined;

/** The prefix of all objects of a file; removing it removes them all. */
export const filePrefix = ({ ownerId, id }: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `users/${ownerId}/files/${id}/`;

/** The uploaded bytes. */
export const contentKey = (file: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `${filePrefix(file)}content`;

/** The extracted text. */
export const textKey = (file: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `${filePrefix(file)}text.json.gz`;

/** A picture of it at most 400 px wide. */
export const thumbnailKey = (file: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `${filePrefix(file)}thumbnail.webp`;

/** The vectors of its passages by one embedding model. The model's name may have characters that keys must not have. */
export const vectorsKey = (file: Pick<FileRecord, 'ownerId' | 'id'>, model: string): string =>
  `${filePrefix(file)}vectors/${createHash('sha256').update(model).digest('hex').slice(0, 32)}`;

/** Uploads: outside every file, so that no upload URL reaches a stored file. */
export const uploadKey = (ownerId: string, name: string): string =>
  `users/${ownerId}/uploads/${name}`;
