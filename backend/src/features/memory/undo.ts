import type { Actor } from '../../access/index.ts';
import type { MemoryReceipt } from '../../contract/memory.ts';
import { notFound } from '../../errors.ts';
import type { MemoryChanges } from './changes.ts';
import type { Cause, MemoryStore } from './model.ts';
import type { EventRecord } from './record.ts';

interface UndoDeps {
  memories: Pick<MemoryStore, 'find'>;
  changes: MemoryChanges;
  /** The receipt of a reply of its owner; null without one. */
  receiptOf: (replyId: string, ownerId: string) => Promise<MemoryReceipt | null>;
  /** Stores with the reply that its memories were undone, and tells the user's tabs. */
  markUndone: (replyId: string, ownerId: string) => Promise<void>;
  tellChanged: (ownerId: string) => void;
  now: () => Date;
}

/**
 * Takes back what was saved after a reply: new memories are erased, superseded ones are active again. What the user has changed
 * since stays. It has the same result whether it runs once, twice, or in two tabs at once.
 * @throws AppError not_found for a reply that saved nothing, or that is not the user's
 */
export function createUndo(deps: UndoDeps) {
  const { memories, changes, receiptOf, markUndone, tellChanged, now } = deps;

  const undo = async (event: EventRecord) => {
    const memory = await memories.find(event.memoryId, event.ownerId);
    if (!memory || memory.version !== event.after.version) return;
    const cause: Cause = { op: 'undo', actor: 'user', replyId: null, at: now() };
    // Another tab that was first has changed the version: then this does nothing.
    if (event.op === 'add') {
      const gone = { text: '', source: null, reason: null, isPinned: false };
      await changes.change(memory, { ...gone, state: 'deleted' }, cause);
    } else if (event.op === 'supersede') await changes.change(memory, { state: 'active' }, cause);
  };

  return async ({ userId }: Actor, replyId: string): Promise<void> => {
    const receipt = await receiptOf(replyId, userId);
    if (!receipt || receipt.written.length === 0) throw notFound('saved memory');
    const made = await changes.ofReply(replyId, userId);
    for (const event of made.filter(({ actor }) => actor === 'model')) await undo(event);
    if (!receipt.isUndone) await markUndone(replyId, userId);
    tellChanged(userId);
  };
}
