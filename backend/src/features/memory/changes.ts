import { sweepEach } from '../../jobs/sweep-each.ts';
import type { MemoryFeature } from './feature.ts';
import type { Cause, Changes } from './model.ts';
import { type EventRecord, type MemoryRecord, type NewMemory, placeOf } from './record.ts';

type Stores = Pick<MemoryFeature, 'memories' | 'events'>;

const ERASE_BATCH = 100;

/** @returns null when the memory exists, even as a deleted one */
export async function insertMemory(
  { memories, events }: Stores,
  memory: NewMemory,
  cause: Cause,
): Promise<MemoryRecord | null> {
  const inserted = await memories.insert(memory, cause);
  if (inserted) await events.append(inserted.lastEvent);
  return inserted;
}

/**
 * A change and its event are written one after the other. The memory carries its last event, and the next change stores that first, so a
 * crash between the two loses nothing.
 * @returns null when the memory has another version
 */
export async function changeMemory(
  stores: Stores,
  memory: MemoryRecord,
  { changes, cause }: { changes: Changes; cause: Cause },
): Promise<MemoryRecord | null> {
  const { memories, events } = stores;
  await events.append(memory.lastEvent);
  const changed = await memories.change(memory, changes, cause);
  if (!changed) {
    // It may have been erased after its last event was read and before that was stored.
    const present = await memories.find(memory.id, memory.ownerId);
    if (present?.state === 'deleted') await events.blank([memory.id], memory.ownerId);
    return null;
  }
  await events.append(changed.lastEvent);
  if (changed.state === 'deleted') await blankText(stores, changed);
  return changed;
}

/** The changes that delete a memory. */
export const erasing = ({ source }: MemoryRecord): Changes => ({
  text: '',
  state: 'deleted',
  isPinned: false,
  reason: null,
  source: placeOf(source),
});

/** Deletes a memory of any version and erases its text, also from its events. */
export async function eraseMemory(
  stores: Stores,
  memory: MemoryRecord,
  cause: Cause,
): Promise<void> {
  for (let present: MemoryRecord | null = memory; present; ) {
    if (present.state === 'deleted') return;
    if (await changeMemory(stores, present, { changes: erasing(present), cause })) return;
    present = await stores.memories.find(memory.id, memory.ownerId);
  }
}

/** The events of a memory, oldest first. */
export async function eventsOf({ events }: Stores, memory: MemoryRecord): Promise<EventRecord[]> {
  const stored = await events.ofMemory(memory.id, memory.ownerId);
  const hasLast = stored.some(({ id }) => id === memory.lastEvent.id);
  return hasLast ? stored : [...stored, memory.lastEvent];
}

/** The changes that a reply made, latest first. */
export async function changesOfReply(
  { memories, events }: Stores,
  replyId: string,
  ownerId: string,
): Promise<EventRecord[]> {
  const [stored, changed] = await Promise.all([
    events.ofReply(replyId, ownerId),
    memories.changedBy(replyId, ownerId),
  ]);
  const last = changed.map(({ lastEvent }) => lastEvent);
  const all = new Map([...stored, ...last].map((event) => [event.id, event]));
  return [...all.values()].toSorted((a, b) => b.at.getTime() - a.at.getTime());
}

/** Erases the remains of deleted memories after a crash. */
export async function finishErasing(stores: Stores): Promise<void> {
  const deleted = await stores.memories.erasing(ERASE_BATCH);
  await sweepEach(deleted, (memory) => blankText(stores, memory));
}

async function blankText(
  { memories, events }: Stores,
  { id, ownerId }: MemoryRecord,
): Promise<void> {
  await events.blank([id], ownerId);
  await memories.markErased([id], ownerId);
}
