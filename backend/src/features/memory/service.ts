import type { Actor } from '../../access/index.ts';
import {
  type EditMemoryBody,
  type ListMemoriesQuery,
  MAX_MEMORIES,
  type Memory,
  type MemoryEvent,
  type MemoryList,
} from '../../contract/memory.ts';
import { AppError, notFound } from '../../errors.ts';
import type { MemoryChanges } from './changes.ts';
import type { Cause, Changes, MemoryStore } from './model.ts';
import { presentEvent, presentMemory } from './present.ts';
import { foldText, type MemoryRecord } from './record.ts';

interface ServiceDeps {
  memories: MemoryStore;
  changes: MemoryChanges;
  tellChanged: (ownerId: string) => void;
  now: () => Date;
}

type Query = Omit<ListMemoriesQuery, 'ids'> & { ids?: string[] | undefined };

const changedMeanwhile = () =>
  new AppError(
    'memory_changed',
    'This memory was changed meanwhile. Look at it again, then decide.',
  );

export const memoriesFull = () =>
  new AppError(
    'memories_full',
    `You have ${MAX_MEMORIES} memories, the most there can be. Delete some first.`,
  );

/** What users do with their memories. A memory of another user answers 404. */
export type MemoryService = ReturnType<typeof createMemoryService>;

export function createMemoryService({ memories, changes, tellChanged, now }: ServiceDeps) {
  /** @throws AppError not_found, also for a deleted one */
  const access = async ({ userId }: Actor, id: string): Promise<MemoryRecord> => {
    const memory = await memories.find(id, userId);
    if (!memory || memory.state === 'deleted') throw notFound('memory');
    return memory;
  };

  const byUser = (op: Cause['op']): Cause => ({ op, actor: 'user', replyId: null, at: now() });

  const change = async (memory: MemoryRecord, made: Changes, op: Cause['op']) => {
    const changed = await changes.change(memory, made, byUser(op));
    if (!changed) throw changedMeanwhile();
    tellChanged(memory.ownerId);
    return changed;
  };

  /** Makes a memory active again that was superseded by one that was then not approved. */
  const giveBack = async (superseded: MemoryRecord | null, { id, ownerId }: MemoryRecord) => {
    if (!superseded || (await memories.find(id, ownerId))?.state === 'active') return;
    const { isPinned } = superseded.lastEvent.before ?? superseded;
    await changes.change(superseded, { state: 'active', isPinned }, byUser('undo'));
  };

  return {
    list: async (actor: Actor, { q = '', state, scope, ids }: Query): Promise<MemoryList> => {
      const { userId } = actor;
      const states = state ? [state] : (['active', 'pending'] as const);
      const [found, count] = await Promise.all([
        ids ? memories.findMany(ids, userId) : memories.list(userId, { states: [...states] }),
        memories.count(userId),
      ]);
      const words = foldText(q).split(' ').filter(Boolean);
      const fits = (memory: MemoryRecord) =>
        memory.state !== 'deleted' &&
        (!scope || memory.scope === scope) &&
        words.every((word) => foldText(memory.text).includes(word));
      return { memories: found.filter(fits).map(presentMemory), count };
    },

    history: async (actor: Actor, id: string): Promise<MemoryEvent[]> =>
      (await changes.history(await access(actor, id))).map(presentEvent),

    /** @throws AppError not_found; memory_changed when it has another version than the body says */
    edit: async (actor: Actor, id: string, body: EditMemoryBody): Promise<Memory> => {
      const memory = await access(actor, id);
      if (memory.version !== body.version) throw changedMeanwhile();
      const { text = memory.text, kind = memory.kind, isPinned = memory.isPinned } = body;
      const isEdit = text !== memory.text || kind !== memory.kind;
      if (!isEdit && isPinned === memory.isPinned) return presentMemory(memory);
      const op = isEdit ? 'edit' : isPinned ? 'pin' : 'unpin';
      return presentMemory(await change(memory, { text, kind, isPinned }, op));
    },

    /** Lets replies read a pending memory; the one that it replaces is superseded. */
    approve: async (actor: Actor, id: string): Promise<Memory> => {
      const memory = await access(actor, id);
      if (memory.state !== 'pending') return presentMemory(memory);
      const replaced = memory.supersedes && (await memories.find(memory.supersedes, actor.userId));
      // First: a crash leaves a memory that is still pending, and approving it again does the rest.
      const superseded =
        replaced && replaced.state === 'active'
          ? await change(replaced, { state: 'superseded', isPinned: false }, 'supersede')
          : null;
      const approved = await changes.change(
        memory,
        { state: 'active', reason: null },
        byUser('approve'),
      );
      if (!approved) {
        await giveBack(superseded, memory);
        throw changedMeanwhile();
      }
      tellChanged(actor.userId);
      return presentMemory(approved);
    },

    /** Erases a pending memory. Nothing happens when it is gone already. */
    reject: async (actor: Actor, id: string): Promise<void> => {
      const memory = await memories.find(id, actor.userId);
      if (!memory) throw notFound('memory');
      if (memory.state === 'deleted') return;
      if (memory.state !== 'pending') throw changedMeanwhile();
      await changes.erase(memory, byUser('reject'));
      tellChanged(actor.userId);
    },

    /** Deletes a memory and erases its text. Nothing happens when it is gone already. */
    remove: async (actor: Actor, id: string): Promise<void> => {
      const memory = await memories.find(id, actor.userId);
      if (!memory) throw notFound('memory');
      await changes.erase(memory, byUser('delete'));
      tellChanged(actor.userId);
    },
  };
}
