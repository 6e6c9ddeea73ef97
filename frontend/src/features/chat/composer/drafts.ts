import { create } from 'zustand';
import { readItem, removeItem, writeItem } from '../../../lib/storage.ts';

/** What is being written in one conversation. */
export interface Draft {
  text: string;
  /**
   * The id under which exactly this text was sent before. It stays until the server has accepted it, so that sending it
   * again, even after a reload, is the same send.
   */
  clientMessageId?: string;
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

/** Forgets the draft if it is the one that was accepted; what was written since then stays. */
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
