import { RESTORE_SECONDS } from '@stolas/backend/contract';
import { queryClient } from '../../../lib/query-client.ts';
import { parseJson, readItem, removeItem, writeItem } from '../../../lib/storage.ts';
import {
  conversationsByIdQuery,
  noteMissedDeletion,
  useActivity,
} from '../../../realtime/index.ts';
import { closeUploader } from '../../files/index.ts';
import { NEW, selected } from '../selection.ts';
import { moveDraft } from '../sending/attachments.ts';
import { draftedBy, readDraft, writeDraft } from '../sending/drafts.ts';
import { removeStar, starredBy } from '../stars.ts';
import { conversationsOf, isNewChat } from '../use-conversation.ts';

/** When this browser heard of deletions and of the end of access, in ms since the epoch, by conversation. */
type Deletions = Record<string, number>;

const RESTORE_MS = RESTORE_SECONDS * 1_000;

const keyOf = (userId: string) => `deleted:${userId}`;

/**
 * Removes the star and the draft of each conversation that was deleted, or that the user may no longer read, from this browser once it cannot
 * be restored any more, also after the tab that heard of it was closed, and when no tab did.
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
  const unsubscribe = useActivity.subscribe((activity, before) => {
    if (activity.deleted === before.deleted && activity.lost === before.lost) return;
    const gone = { ...activity.deleted, ...activity.lost };
    update((deletions) => {
      for (const id of Object.keys({ ...before.deleted, ...before.lost }))
        if (!(id in gone)) delete deletions[id];
      for (const id of Object.keys(gone)) deletions[id] ??= now();
    });
  });
  void noteMissed(userId);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

/** Finds the conversations that went while this browser had no tab open. The open one is read by its page. */
async function noteMissed(userId: string): Promise<void> {
  const stored = new Set([...starredBy(userId), ...draftedBy(userId)]);
  const ids = [...stored].filter((id) => !isNewChat(id) && id !== selected());
  if (ids.length === 0) return;
  // Without an answer the next page that is opened asks again.
  const found = await queryClient.fetchQuery(conversationsByIdQuery(ids)).catch(() => undefined);
  if (!found) return;
  const present = new Set(conversationsOf(found).map(({ id }) => id));
  for (const id of ids) if (!present.has(id)) noteMissedDeletion(id);
}

function forget(userId: string, conversationId: string): void {
  removeStar(userId, conversationId);
  // Its page still offers to take the draft along to a new chat.
  if (selected() === conversationId) moveDraft(userId, conversationId, NEW);
  const { uploaderId } = readDraft(userId, conversationId);
  if (uploaderId) closeUploader(uploaderId);
  writeDraft(userId, conversationId, { text: '' });
}

const read = (userId: string): Deletions =>
  (parseJson(readItem(keyOf(userId))) as Deletions | undefined) ?? {};

function write(userId: string, deletions: Deletions): void {
  if (Object.keys(deletions).length === 0) removeItem(keyOf(userId));
  else writeItem(keyOf(userId), JSON.stringify(deletions));
}
