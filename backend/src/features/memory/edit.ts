import type { Actor } from '../../access/index.ts';
import type {
  EditMemoryBody,
  ListMemoriesQuery,
  Memory,
  MemoryEvent,
  MemoryList,
} from '../../contract/memory.ts';
import { AppError, notFound } from '../../errors.ts';
import { changeMemory, eraseMemory, eventsOf } from './changes.ts';
import type { MemoryFeature } from './feature.ts';
import type { Cause, Changes } from './model.ts';
import { presentEvent, presentMemory } from './present.ts';
import { foldText, type MemoryRecord } from './record.ts';

type Query = Omit<ListMemoriesQuery, 'ids'> & { ids?: string[] | undefined };

/** Lists the actor's memories; by default the active and pending ones. Here and below, a memory of another user answers 404. */
export async function listMemories(
  { memories }: MemoryFeature,
  { userId }: Actor,
  { q = '', state, scope, ids }: Query,
): Promise<MemoryList> {
  const [found, count] = await Promise.all([
    ids ? memories.findMany(ids, userId) : memories.list(userId, { states: state && [state] }),
    memories.count(userId),
  ]);
  const words = foldText(q).split(' ').filter(Boolean);
  const fits = (memory: MemoryRecord) =>
    memory.state !== 'deleted' &&
    (!scope || memory.scope === scope) &&
    words.every((word) => foldText(memory.text).includes(word));
  return { memories: found.filter(fits).map(presentMemory), count };
}

/** @throws AppError not_found */
export const memoryHistory = async (
  memory: MemoryFeature,
  actor: Actor,
  id: string,
): Promise<MemoryEvent[]> =>
  (await eventsOf(memory, await findPresent(memory, actor, id))).map(presentEvent);

/** @throws AppError not_found; memory_changed when its version differs from the body's */
export async function editMemory(
  memory: MemoryFeature,
  actor: Actor,
  { id, body }: { id: string; body: EditMemoryBody },
): Promise<Memory> {
  const present = await findPresent(memory, actor, id);
  if (present.version !== body.version) throw memoryChanged();
  const { text = present.text, kind = present.kind, isPinned = present.isPinned } = body;
  const isEdit = text !== present.text || kind !== present.kind;
  if (!isEdit && isPinned === present.isPinned) return presentMemory(present);
  const op = isEdit ? 'edit' : isPinned ? 'pin' : 'unpin';
  return presentMemory(await change(memory, present, { changes: { text, kind, isPinned }, op }));
}

/**
 * Approves a pending memory for replies; the memory that it replaces is superseded.
 * @throws AppError not_found, memory_changed
 */
export async function approveMemory(
  memory: MemoryFeature,
  actor: Actor,
  id: string,
): Promise<Memory> {
  const { memories, publishChange, now } = memory;
  const { userId } = actor;
  const pending = await findPresent(memory, actor, id);
  if (pending.state !== 'pending') return presentMemory(pending);
  const replaced = pending.supersedes && (await memories.find(pending.supersedes, userId));
  // Superseded first: after a crash the memory is still pending, and approving it again completes the change.
  const superseded =
    replaced && replaced.state === 'active'
      ? await change(memory, replaced, {
          changes: { state: 'superseded', isPinned: false },
          op: 'supersede',
        })
      : null;
  const approved = await changeMemory(memory, pending, {
    changes: { state: 'active', reason: null },
    cause: byUser('approve', now()),
  });
  if (!approved) {
    await restoreSuperseded(memory, superseded, pending);
    throw memoryChanged();
  }
  publishChange(userId);
  return presentMemory(approved);
}

/**
 * Erases a pending memory, if it still exists.
 * @throws AppError not_found, memory_changed
 */
export async function rejectMemory(memory: MemoryFeature, actor: Actor, id: string): Promise<void> {
  const found = await findAny(memory, actor, id);
  if (found.state === 'deleted') return;
  if (found.state !== 'pending') throw memoryChanged();
  await eraseMemory(memory, found, byUser('reject', memory.now()));
  memory.publishChange(found.ownerId);
}

/**
 * Deletes a memory and erases its text, if it still exists.
 * @throws AppError not_found
 */
export async function deleteMemory(memory: MemoryFeature, actor: Actor, id: string): Promise<void> {
  const found = await findAny(memory, actor, id);
  await eraseMemory(memory, found, byUser('delete', memory.now()));
  memory.publishChange(found.ownerId);
}

const memoryChanged = () =>
  new AppError(
    'memory_changed',
    'This memory was changed in the meantime. Check it, then decide again.',
  );

const byUser = (op: Cause['op'], at: Date): Cause => ({ op, actor: 'user', replyId: null, at });

async function findAny(
  { memories }: MemoryFeature,
  { userId }: Actor,
  id: string,
): Promise<MemoryRecord> {
  const found = await memories.find(id, userId);
  if (!found) throw notFound('memory');
  return found;
}

async function findPresent(memory: MemoryFeature, actor: Actor, id: string): Promise<MemoryRecord> {
  const found = await findAny(memory, actor, id);
  if (found.state === 'deleted') throw notFound('memory');
  return found;
}

async function change(
  memory: MemoryFeature,
  present: MemoryRecord,
  { changes, op }: { changes: Changes; op: Cause['op'] },
): Promise<MemoryRecord> {
  const changed = await changeMemory(memory, present, { changes, cause: byUser(op, memory.now()) });
  if (!changed) throw memoryChanged();
  memory.publishChange(present.ownerId);
  return changed;
}

/** Reactivates a memory whose replacement was not approved. */
async function restoreSuperseded(
  memory: MemoryFeature,
  superseded: MemoryRecord | null,
  { id, ownerId }: MemoryRecord,
): Promise<void> {
  if (!superseded || (await memory.memories.find(id, ownerId))?.state === 'active') return;
  const { isPinned } = superseded.lastEvent.before ?? superseded;
  const cause = byUser('undo', memory.now());
  await changeMemory(memory, superseded, { changes: { state: 'active', isPinned }, cause });
}
