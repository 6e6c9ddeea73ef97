import { RESTORE_SECONDS } from '@stolas/backend/contract';
import { readItem, removeItem, writeItem } from '../../../lib/storage.ts';
import { useActivity } from '../../../realtime/index.ts';
import { closeUploader } from '../../files/index.ts';
import { NEW, selected } from '../selection.ts';
import { moveDraft } from '../sending/attachments.ts';
import { readDraft, writeDraft } from '../sending/drafts.ts';
import { removeStar } from '../stars.ts';

/** When this browser heard of deletions, in ms since the epoch, by conversation. */
type Deletions = Record<string, number>;

const RESTORE_MS = RESTORE_SECONDS * 1_000;

const keyOf = (userId: string) => `deleted:${userId}`;

/**
 * Removes the star and the draft of each deleted conversation from this browser once it cannot be restored any more,
 * also after the tab that heard of the deletion was closed.
 * @returns a function that ends it
 */
export function forgetDeleted(userId: string, now: () => number = Date.now): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  const update = (change: (deletions: Deletions) => void) => {
    const deletions = read(userId);
    change(deletions);
    for (const [id, deletedAt] of Object.entries(deletions)) {
      if (now() - deletedAt < RESTORE_MS) continue;
      forget(userId, id);
      delete deletions[id];
    }
    write(userId, deletions);
    clearTimeout(timer);
    if (Object.keys(deletions).length > 0) timer = setTimeout(() => update(() => {}), RESTORE_MS);
  };

  if (readItem(keyOf(userId)) !== null) update(() => {});
  const unsubscribe = useActivity.subscribe(({ deleted }, before) => {
    if (deleted === before.deleted) return;
    update((deletions) => {
      for (const id of Object.keys(before.deleted)) if (!(id in deleted)) delete deletions[id];
      for (const id of Object.keys(deleted)) deletions[id] ??= now();
    });
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

function forget(userId: string, conversationId: string): void {
  removeStar(userId, conversationId);
  // Its page still offers to take the draft along to a new chat.
  if (selected() === conversationId) moveDraft(userId, conversationId, NEW);
  const { uploaderId } = readDraft(userId, conversationId);
  if (uploaderId) closeUploader(uploaderId);
  writeDraft(userId, conversationId, { text: '' });
}

function read(userId: string): Deletions {
  try {
    return JSON.parse(readItem(keyOf(userId)) ?? '{}') as Deletions;
  } catch {
    return {};
  }
}

function write(userId: string, deletions: Deletions): void {
  if (Object.keys(deletions).length === 0) removeItem(keyOf(userId));
  else writeItem(keyOf(userId), JSON.stringify(deletions));
}
