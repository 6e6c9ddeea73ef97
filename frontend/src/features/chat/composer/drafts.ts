import { create } from 'zustand';
import { readItem, removeItem, writeItem } from '../../../lib/storage.ts';

/** The text that the user is writing in one conversation. */
export interface Draft {
  text: string;
  /**
   * The id under which exactly this text was sent before. It stays until the server has accepted it, so that sending it
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

export function readDraft(userId: string, conversationId: string): Draft {
  const key = keyOf(userId, conversationId);
  return useStore.getState().drafts[key] ?? parse(readItem(key));
}

export function writeDraft(userId: string, conversationId: string, draft: Draft): void {
  const key = keyOf(userId, conversationId);
  useStore.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }));
  if (draft.text === '') removeItem(key);
  else writeItem(key, JSON.stringify(draft));
}

/** Stores a changed text. The changed text is another message of the same conversation. */
export function writeDraftText(userId: string, conversationId: string, text: string): void {
  const { clientConversationId } = readDraft(userId, conversationId);
  writeDraft(userId, conversationId, {
    text,
    ...(text !== '' && clientConversationId && { clientConversationId }),
  });
}

/** Removes the draft if it is the one that was accepted; a text that was written since then stays. */
export function clearSentDraft(
  userId: string,
  conversationId: string,
  clientMessageId: string | undefined,
): void {
  const draft = readDraft(userId, conversationId);
  if (clientMessageId && draft.clientMessageId === clientMessageId) {
    writeDraft(userId, conversationId, EMPTY);
  }
}

export function useDraft(userId: string, conversationId: string): Draft {
  const key = keyOf(userId, conversationId);
  return useStore(({ drafts }) => drafts[key]) ?? parse(readItem(key));
}

function parse(stored: string | null): Draft {
  if (!stored) return EMPTY;
  try {
    const value: unknown = JSON.parse(stored);
    const known = typeof value === 'object' && value !== null && 'text' in value;
    return known && typeof value.text === 'string' ? (value as Draft) : EMPTY;
  } catch {
    return EMPTY;
  }
}
