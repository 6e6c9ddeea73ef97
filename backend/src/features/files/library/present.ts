import type { AttachedFile, UserFile } from '../../../contract/files.ts';
import type { MessageFile } from '../../../contract/messages.ts';
import { contentKey, type FileRecord, namesUnread } from './file-record.ts';

/** Path of this server that redirects to the file's content. */
export const fileUrl = (id: string): string => `/api/files/${id}`;

/** A file for its owner. */
export const presentFile = (file: FileRecord): UserFile => ({
  id: file.id,
  name: file.name,
  type: file.type,
  size: file.size,
  sha256: file.sha256,
  kind: file.kind,
  state: file.state,
  ...(file.problem && { problem: file.problem }),
  ...(file.state === 'reading' && file.progress && { progress: file.progress }),
  ...(file.pages !== undefined && { pages: file.pages }),
  ...(file.truncated && { truncated: true }),
  ...(namesUnread(file) && file.unread && { unread: file.unread }),
  ...(file.recognition && { recognition: file.recognition }),
  url: fileUrl(file.id),
  ...(file.hasThumbnail && { thumbnailUrl: `${fileUrl(file.id)}/thumbnail` }),
  createdAt: file.createdAt.toISOString(),
  conversationIds: file.conversationIds,
});

/** A file for somebody with this role: its conversations are its owner's. */
export const presentFor = (
  file: FileRecord,
  shared: NonNullable<UserFile['shared']>,
): UserFile => ({
  ...presentFile(file),
  ...(shared.role !== 'owner' && { conversationIds: [] }),
  shared,
});

/** A file of another user for somebody who reads a conversation that names it. */
export const presentReadOnly = (file: FileRecord): UserFile => ({
  ...presentFile(file),
  conversationIds: [],
  isReadOnly: true,
});

export const presentAttached = (file: FileRecord, bucket: string): AttachedFile => ({
  id: file.id,
  bucket,
  key: contentKey(file),
  filename: file.name,
  mime: file.type,
  bytes: file.size,
  objectPath: fileUrl(file.id),
  name: file.name,
  type: file.type,
  size: file.size,
  file: presentFile(file),
});

/** A file for the metadata of a message. */
export const presentInMessage = (
  { id, type, size }: FileRecord,
  { name }: { name: string },
): MessageFile => ({ id, name, url: fileUrl(id), objectPath: fileUrl(id), type, size });
