import type { Actor } from '../../access/index.ts';
import { notFound } from '../../errors.ts';
import { changeMemory, changesOfReply, erasing } from './changes.ts';
import type { MemoryFeature } from './feature.ts';
import type { Cause, Changes } from './model.ts';
import type { EventRecord, MemoryRecord } from './record.ts';

/**
 * Undoes the memories of a reply: new ones are erased, superseded ones are active again. Later changes by the user stay. Repeating it, also
 * in two tabs at once, has the same result.
 * @throws AppError not_found for a reply that saved nothing, or that is not the user's
 */
export async function undoMemories(
  memory: MemoryFeature,
  { userId }: Actor,
  replyId: string,
): Promise<void> {
  const { chat } = memory.others;
  const reply = await chat.replies.findOwn(replyId, userId);
  const receipt = reply?.metadata?.memoryReceipt;
  if (!receipt || receipt.written.length === 0) throw notFound('saved memory');
  const made = await changesOfReply(memory, replyId, userId);
  for (const event of made.filter(({ actor }) => actor === 'model')) await undo(memory, event);
  if (!receipt.isUndone) await chat.markMemoriesUndone(reply, userId);
  memory.publishChange(userId);
}

/** The change that undoes an event. Other events stay. */
function undone({ op, before }: EventRecord, present: MemoryRecord): Changes | undefined {
  if (op === 'add') return erasing(present);
  if (op === 'supersede') return { state: 'active', isPinned: before?.isPinned ?? false };
  return undefined;
}

async function undo(memory: MemoryFeature, event: EventRecord) {
  const { memoryId, ownerId, after } = event;
  const present = await memory.memories.find(memoryId, ownerId);
  if (present?.version !== after.version) return;
  const changes = undone(event, present);
  if (!changes) return;
  const cause: Cause = { op: 'undo', actor: 'user', replyId: null, at: memory.now() };
  // When another tab has changed the version first, this does nothing.
  await changeMemory(memory, present, { changes, cause });
}
