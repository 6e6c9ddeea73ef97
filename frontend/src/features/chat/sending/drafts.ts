import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';
import { create } from 'zustand';
import { keysOf, parseJson, readItem, removeItem, writeItem } from '../../../lib/storage.ts';
import type { KnownFile } from '../../files/index.ts';
import { useOutbox } from './outbox.ts';

/** The message that the user is writing in one conversation. */
export interface Draft {
  text: string;
  /** The stored files that are sent with it. */
  files?: readonly KnownFile[];
  /** Files that were stored while this draft was being sent without them. They belong to the next message. */
  laterFiles?: readonly KnownFile[];
  /** The uploader of its files that are not stored yet. */
  uploaderId?: string;
  /**
   * The id under which exactly this text with these files was sent before. It stays until the server has accepted it, so that sending it
   * again, even after a reload, creates no second message.
   */
  clientMessageId?: string;
  /**
   * The id under which the new conversation of this draft was created before, with this text or an earlier one:
   * creating it again returns the same conversation.
   */
  clientConversationId?: string;
}

const EMPTY: Draft = { text: '' };

const useStore = create<{ drafts: Readonly<Record<string, Draft>> }>(() => ({ drafts: {} }));

const keyOf = (userId: string, conversationId: string) => `draft:${userId}:${conversationId}`;

/** The conversations with a stored draft. */
export const draftedBy = (userId: string): string[] => {
  const prefix = keyOf(userId, '');
  return keysOf(prefix).map((key) => key.slice(prefix.length));
};

export function readDraft(userId: string, conversationId: string): Draft {
  const key = keyOf(userId, conversationId);
  return useStore.getState().drafts[key] ?? parse(readItem(key));
}

export function writeDraft(userId: string, conversationId: string, draft: Draft): void {
  const key = keyOf(userId, conversationId);
  useStore.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }));
  if (isEmpty(draft)) removeItem(key);
  else writeItem(key, JSON.stringify(draft));
}

const isEmpty = ({ uploaderId, ...draft }: Draft): boolean =>
  draft.text === '' && allFiles(draft).length === 0 && uploaderId === undefined;

const NO_FILES: readonly KnownFile[] = [];

/** Every stored file of a draft. */
export const allFiles = ({ files = NO_FILES, laterFiles }: Draft): readonly KnownFile[] =>
  laterFiles ? [...files, ...laterFiles] : files;

/** Stores a change of a draft. The changed draft is another message of the same conversation. */
function changeDraft(
  userId: string,
  conversationId: string,
  change: Partial<Pick<Draft, 'text' | 'files'>>,
): void {
  const former = readDraft(userId, conversationId);
  const { clientMessageId: _former, laterFiles: _merged, clientConversationId, ...draft } = former;
  const changed = { ...draft, files: allFiles(former), ...change };
  writeDraft(userId, conversationId, {
    ...changed,
    ...(changed.text !== '' && clientConversationId && { clientConversationId }),
  });
}

export const writeDraftText = (userId: string, conversationId: string, text: string): void =>
  changeDraft(userId, conversationId, { text });

/** Adds a stored file. While the draft is being sent it belongs to the next message. */
export function addDraftFile(userId: string, conversationId: string, file: KnownFile): void {
  const draft = readDraft(userId, conversationId);
  const files = [...allFiles(draft).filter(({ id }) => id !== file.id), file];
  if (!useOutbox.getState().pending[conversationId]) {
    changeDraft(userId, conversationId, { files });
  } else if (!draft.files?.some(({ id }) => id === file.id)) {
    const laterFiles = [...(draft.laterFiles ?? []), file];
    writeDraft(userId, conversationId, { ...draft, laterFiles });
  }
}

export function removeDraftFile(userId: string, conversationId: string, fileId: string): void {
  const files = allFiles(readDraft(userId, conversationId));
  const others = files.filter(({ id }) => id !== fileId);
  if (others.length < files.length) changeDraft(userId, conversationId, { files: others });
}

/**
 * Removes the draft if it is the one that was accepted; what was written since then stays, and so does the uploader,
 * which may have files that were left out.
 * @returns whether it was that draft.
 */
export function clearSentDraft(
  userId: string,
  conversationId: string,
  clientMessageId: string | undefined,
): boolean {
  const { uploaderId, laterFiles, ...draft } = readDraft(userId, conversationId);
  if (!clientMessageId || draft.clientMessageId !== clientMessageId) return false;
  writeDraft(userId, conversationId, {
    ...EMPTY,
    ...(laterFiles && { files: laterFiles }),
    ...(uploaderId && { uploaderId }),
  });
  return true;
}

export function useDraft(userId: string, conversationId: string): Draft {
  const key = keyOf(userId, conversationId);
  return useStore(({ drafts }) => drafts[key]) ?? parse(readItem(key));
}

function parse(stored: string | null): Draft {
  const value = parseJson(stored);
  const known = typeof value === 'object' && value !== null && 'text' in value;
  return known && typeof value.text === 'string' ? (value as Draft) : EMPTY;
}

/** Whether the server would accept the text as a message. */
export const isSendable = (text: string): boolean => text.trim() !== '' && !isTooLong(text);

export const isTooLong = (text: string): boolean => text.length > MAX_MESSAGE_LENGTH;
