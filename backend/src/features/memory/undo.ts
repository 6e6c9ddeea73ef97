import type { Actor } from '../../access/index.ts';
import { notFound } from '../../errors.ts';
import { changeMemory, changesOfReply } from './changes.ts';
import type { MemoryFeature } from './feature.ts';
import type { Cause, Changes } from './model.ts';
import type { EventRecord } from './record.ts';

/**
 * Takes back what was saved after a reply: new memories are erased, superseded ones are active again. What the user has changed
 * since stays. It has the same result whether it runs once, twice, or in two tabs at once.
 * @throws AppError not_found for a reply that saved nothing, or that is not the user's
 */
export async function undoMemories(
  memory: MemoryFeature,
  { userId }: Actor,
  replyId: string,
): Promise<void> {
  const { chat } = memory.others;
  const receipt = (await chat.replies.findOwn(replyId, userId))?.metadata?.memoryReceipt;
  if (!receipt || receipt.written.length === 0) throw notFound('saved memory');
  const made = await changesOfReply(memory, replyId, userId);
  for (const event of made.filter(({ actor }) => actor === 'model')) await undo(memory, event);
  if (!receipt.isUndone) await chat.markMemoriesUndone(replyId, userId);
  memory.tellChanged(userId);
}

/** What takes an event back. Other events stay. */
const UNDONE: Partial<Record<EventRecord['op'], Changes>> = {
  add: { text: '', source: null, reason: null, isPinned: false, state: 'deleted' },
  supersede: { state: 'active' },
};

async function undo(memory: MemoryFeature, { op, memoryId, ownerId, after }: EventRecord) {
  const present = await memory.memories.find(memoryId, ownerId);
  const changes = UNDONE[op];
  if (!changes || present?.version !== after.version) return;
  const cause: Cause = { op: 'undo', actor: 'user', replyId: null, at: memory.now() };
  // Another tab that was first has changed the version: then this does nothing.
  await changeMemory(memory, present, { changes, cause });
}
