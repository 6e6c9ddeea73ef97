import { sweepEach } from '../../jobs/sweep-each.ts';
import type { EventStore } from './event-model.ts';
import type { Cause, Changes, MemoryStore } from './model.ts';
import type { EventRecord, MemoryRecord, NewMemory } from './record.ts';

interface ChangesDeps {
  memories: MemoryStore;
  events: EventStore;
}

/** Changes of memories, each with its event. */
export type MemoryChanges = ReturnType<typeof createChanges>;

const ERASE_BATCH = 100;

/**
 * A change and its event are written one after the other. The memory carries its last event, and the next change stores that
 * first: a crash between the two loses nothing.
 */
export function createChanges({ memories, events }: ChangesDeps) {
  const erase = async (erased: MemoryRecord[]) => {
    const [first] = erased;
    if (!first) return;
    const ids = erased.map(({ id }) => id);
    await events.blank(ids, first.ownerId);
    await memories.markErased(ids, first.ownerId);
  };

  const change = async (memory: MemoryRecord, changes: Changes, cause: Cause) => {
    await events.append(memory.lastEvent);
    const changed = await memories.change(memory, changes, cause);
    if (!changed) {
      // It may have been erased after its last event was read and before that was stored.
      const present = await memories.find(memory.id, memory.ownerId);
      if (present?.state === 'deleted') await events.blank([memory.id], memory.ownerId);
      return null;
    }
    await events.append(changed.lastEvent);
    if (changed.state === 'deleted') await erase([changed]);
    return changed;
  };

  return {
    /** @returns null when the memory exists, also as a deleted one */
    insert: async (memory: NewMemory, cause: Cause): Promise<MemoryRecord | null> => {
      const inserted = await memories.insert(memory, cause);
      if (inserted) await events.append(inserted.lastEvent);
      return inserted;
    },

    /** @returns null when the memory has another version by now */
    change,

    /** Deletes a memory in whatever version it is: its text is erased, also from its events. */
    erase: async (memory: MemoryRecord, cause: Cause): Promise<void> => {
      for (let present: MemoryRecord | null = memory; present; ) {
        if (present.state === 'deleted') return;
        const gone: Changes = {
          text: '',
          state: 'deleted',
          isPinned: false,
          reason: null,
          source: null,
        };
        if (await change(present, gone, cause)) return;
        present = await memories.find(memory.id, memory.ownerId);
      }
    },

    history: async (memory: MemoryRecord): Promise<EventRecord[]> => {
      const stored = await events.ofMemory(memory.id, memory.ownerId);
      const hasLast = stored.some(({ id }) => id === memory.lastEvent.id);
      return hasLast ? stored : [...stored, memory.lastEvent];
    },

    /** What a reply changed, the last change first. */
    ofReply: async (replyId: string, ownerId: string): Promise<EventRecord[]> => {
      const [stored, changed] = await Promise.all([
        events.ofReply(replyId, ownerId),
        memories.changedBy(replyId, ownerId),
      ]);
      const last = changed.map(({ lastEvent }) => lastEvent);
      const all = new Map([...stored, ...last].map((event) => [event.id, event]));
      return [...all.values()].toSorted((a, b) => b.at.getTime() - a.at.getTime());
    },

    /** Erases what a crash has left of deleted memories. */
    eraseLate: async (): Promise<void> => {
      await sweepEach(await memories.erasing(ERASE_BATCH), (memory) => erase([memory]));
    },
  };
}
