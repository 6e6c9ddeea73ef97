import { createHash } from 'node:crypto';
import type { Grant } from '../../../access/index.ts';
import type { FileKind, FileProblem, FileState, Unread } from '../../../contract/files.ts';

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
  unread?: Unread[];
  /** While the text of its pictures is to be recognised. */
  recognition?: { done: number; total: number };
  /** The pages whose recognition its stored text contains; absent for the text as it was read. */
  recognised?: number;
  /** The same of the text before, which is removed. */
  replaced?: number;
  hasThumbnail: boolean;
  /** Uploaded into the library: it stays when its conversations are deleted. */
  inLibrary: boolean;
  /** The conversations of its owner that use it. */
  conversationIds: string[];
  /** Earlier owners, and the conversations that used it then. */
  formerOwners: string[];
  formerUses: string[];
  /** With whom it is shared. */
  grants: readonly Grant[];
  createdAt: Date;
}

/** The conversations where a file opens: those of its owner, and of earlier owners. */
export const usesOf = ({
  conversationIds,
  formerUses,
}: Pick<FileRecord, 'conversationIds' | 'formerUses'>): string[] => [
  ...conversationIds,
  ...formerUses,
];

/** A PDF with pages of pictures without text: it can be viewed, but not searched. */
export const isScan = ({ state, problem, pages }: FileRecord): boolean =>
  state === 'failed' && problem?.code === 'no_text' && pages !== undefined;

/** Whether the unread pages of a file are named: an image of one page is shown as what it is. */
export const namesUnread = ({ kind, pages = 1 }: FileRecord): boolean =>
  kind !== 'image' || pages > 1;

/** Whether a file can be asked about only once text was recognised in its pictures. */
export const isTextless = ({ kind, textBytes }: Pick<FileRecord, 'kind' | 'textBytes'>): boolean =>
  (kind === 'pdf' || kind === 'image') && textBytes === 0;

/** The prefix of all objects of a file; removing it removes them all. */
export const filePrefix = ({ ownerId, id }: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `users/${ownerId}/files/${id}/`;

/** The uploaded bytes. */
export const contentKey = (file: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `${filePrefix(file)}content`;

/** A text of a file: as it was read, or with the recognised text of its first pictures. */
export type TextKey = Pick<FileRecord, 'ownerId' | 'id' | 'recognised'>;

/** The extracted text. Each recognition gets a key of its own, so that a late write of a lost worker changes no later text. */
export const textKey = ({ recognised, ...file }: TextKey): string =>
  `${filePrefix(file)}text${recognised ? `-${recognised}` : ''}.json.gz`;

/** A picture of it at most 400 px wide. */
export const thumbnailKey = (file: Pick<FileRecord, 'ownerId' | 'id'>): string =>
  `${filePrefix(file)}thumbnail.webp`;

/** The vectors of its passages by one embedding model. The model's name may have characters that keys must not have. */
export const vectorsKey = (file: Pick<FileRecord, 'ownerId' | 'id'>, model: string): string =>
  `${filePrefix(file)}vectors/${createHash('sha256').update(model).digest('hex').slice(0, 32)}`;

/** Uploads: outside every file, so that no upload URL reaches a stored file. */
export const uploadKey = (ownerId: string, name: string): string =>
  `users/${ownerId}/uploads/${name}`;
