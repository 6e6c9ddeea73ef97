import { t } from 'virtual:texts/chat';
import type { MessageFile, User, UserFile } from '@stolas/backend/contract';
import { queryClient } from '../../../lib/query-client.ts';
import { randomUuid } from '../../../lib/uuid.ts';
import { fileKey, updateFile } from '../../../realtime/index.ts';
import {
  closeUploader,
  hasUnfinished,
  isUnderway,
  isUsable,
  type KnownFile,
  openedUploader,
  openUploader,
  resumeUploader,
  type Uploader,
  uploadsOf,
  useUploadStore,
} from '../../files/index.ts';
import { NEW, select } from '../selection.ts';
import {
  addDraftFile,
  allFiles,
  type Draft,
  readDraft,
  removeDraftFile,
  writeDraft,
  writeDraftText,
} from './drafts.ts';

/** The conversation of each uploader: a new conversation may get its id while files are being uploaded. */
const conversationOf = new Map<string, string>();

/** The uploader of a draft; loads the code of uploads. */
export function uploaderFor(user: User, conversationId: string): Promise<Uploader> {
  const draft = readDraft(user.id, conversationId);
  const uploaderId = draft.uploaderId ?? `upload-${user.id}-${randomUuid()}`;
  if (!draft.uploaderId) writeDraft(user.id, conversationId, { ...draft, uploaderId });
  conversationOf.set(uploaderId, conversationId);
  const here = () => conversationOf.get(uploaderId) ?? conversationId;
  return openUploader({
    id: uploaderId,
    purpose: 'chat',
    user,
    known: allFiles(draft),
    onStored(file, upload) {
      addStoredFile(user, here(), file, upload.id);
    },
    onRemoved: (fileId) => removeDraftFile(user.id, here(), fileId),
  });
}

/** Adds a file that the server has stored to the next message. */
export function addStoredFile(
  user: Pick<User, 'id'>,
  conversationId: string,
  file: UserFile,
  uploadId = file.id,
): void {
  updateFile(queryClient, file);
  const { id, name, type, size } = file;
  addDraftFile(user.id, conversationId, { uploadId, id, name, type, size });
}

/** Adds files to the next message and uploads them. */
export async function addFiles(
  user: User,
  conversationId: string,
  files: readonly File[],
  options: { isAnnounced?: boolean } = {},
): Promise<void> {
  const uploader = await uploaderFor(user, conversationId).catch(() => undefined);
  uploader?.add(files, options);
}

/** Resumes uploads that an earlier page of this browser has not finished. */
export function resumeUploads(user: User, conversationId: string): void {
  const { uploaderId } = readDraft(user.id, conversationId);
  if (!uploaderId) return;
  void resumeUploader(uploaderId, () =>
    readDraft(user.id, conversationId).uploaderId === uploaderId
      ? uploaderFor(user, conversationId).catch(() => undefined)
      : undefined,
  );
}

/** Removes a stored file from the draft. It stays in the library. */
export function removeFile(user: User, conversationId: string, file: KnownFile): void {
  const { uploaderId } = readDraft(user.id, conversationId);
  removeDraftFile(user.id, conversationId, file.id);
  openedUploader(uploaderId)?.remove(file.uploadId);
}

/** Removes a pasted text from the draft, uploaded or not. */
export async function removePastedText(
  user: User,
  conversationId: string,
  file: File,
): Promise<void> {
  const uploader = await uploaderFor(user, conversationId).catch(() => undefined);
  uploader?.removeData(file);
}

/** Resolves when no upload of the draft is running. */
export function uploadsEnded({ uploaderId }: Draft): Promise<void> {
  openedUploader(uploaderId)?.start();
  const hasEnded = () => !uploadsOf(uploaderId).some(isUnderway);
  return new Promise((resolve) => {
    if (hasEnded()) {
      resolve();
      return;
    }
    const unsubscribe = useUploadStore.subscribe(() => {
      if (!hasEnded()) return;
      unsubscribe();
      resolve();
    });
  });
}

/** The files of a draft as its message names them, without those that have been deleted. */
export const messageFilesOf = ({ files = [] }: Draft): MessageFile[] =>
  files
    .filter(({ id }) => isUsable(queryClient.getQueryData<UserFile | null>(fileKey(id))))
    .map(({ id, name, type, size }) => {
      const path = `/api/files/${id}`;
      return { id, name, type, size, url: path, objectPath: path };
    });

/** A sentence about uploads that are not sent with a draft because they failed or are still running; undefined without any. */
export function describeLeftOut({ uploaderId, laterFiles = [] }: Draft): string | undefined {
  const [first, ...others] = [...laterFiles, ...uploadsOf(uploaderId)];
  if (!first) return undefined;
  return t('leftOut', { count: others.length + 1, name: first.name });
}

/**
 * Puts what is written in one conversation below what is written in another one, with its uploader. Where the other one
 * has an uploader, the files that are not stored yet stay in the former conversation.
 */
export function moveDraft(userId: string, from: string, to: string): void {
  if (from === to) return;
  const { text, uploaderId, ...draft } = readDraft(userId, from);
  if (text !== '') {
    const above = readDraft(userId, to).text;
    writeDraftText(userId, to, above === '' ? text : `${above}\n\n${text}`);
  }
  for (const file of allFiles({ text, ...draft })) addDraftFile(userId, to, file);
  const target = readDraft(userId, to);
  const staysWith = uploaderId && target.uploaderId ? { uploaderId } : {};
  if (uploaderId && !target.uploaderId) {
    conversationOf.set(uploaderId, to);
    writeDraft(userId, to, { ...target, uploaderId });
  }
  writeDraft(userId, from, { text: '', ...staysWith });
}

/** A new chat with what is written in a conversation that is gone. */
export function continueInNewChat(userId: string, conversationId: string): void {
  moveDraft(userId, conversationId, NEW);
  select(NEW);
}

/** After a send: removes stored files from the uploader, and ends it when it has no others. */
export function releaseUploader(user: Pick<User, 'id'>, conversationId: string): void {
  const { uploaderId, ...draft } = readDraft(user.id, conversationId);
  if (!uploaderId) return;
  const kept = new Set(allFiles(draft).map(({ id }) => id));
  openedUploader(uploaderId)?.removeStored(kept);
  if (kept.size > 0 || hasUnfinished(uploaderId)) return;
  closeUploader(uploaderId);
  writeDraft(user.id, conversationId, draft);
}
