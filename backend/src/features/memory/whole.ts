import type { Actor } from '../../access/index.ts';
import type { ImportMemoriesBody, Memory } from '../../contract/memory.ts';
import { MAX_MEMORIES } from '../../contract/memory.ts';
import type { MemoryChanges } from './changes.ts';
import type { ForgettingStore } from './forgetting-model.ts';
import type { MemoryStore } from './model.ts';
import { presentMemory } from './present.ts';
import { foldText, memoryIdOf } from './record.ts';
import { memoriesFull } from './service.ts';

interface WholeDeps {
  memories: MemoryStore;
  changes: MemoryChanges;
  forgettings: ForgettingStore;
  tellChanged: (ownerId: string) => void;
  now: () => Date;
}

const STATES = ['active', 'pending', 'superseded'] as const;

/** What users do with all of their memories at once. */
export type WholeMemory = ReturnType<typeof createWholeMemory>;

export function createWholeMemory({ memories, changes, forgettings, tellChanged, now }: WholeDeps) {
  const user = { scope: 'user', scopeId: null } as const;

  return {
    /** Everything that is kept of the user, with its states. */
    exported: async ({ userId }: Pick<Actor, 'userId'>): Promise<{ memories: Memory[] }> => {
      const all = await memories.list(userId, { states: [...STATES] });
      return { memories: all.map(presentMemory) };
    },

    /**
     * Adds memories, each of which waits for approval; those that are there already are left out.
     * @throws AppError memories_full
     */
    imported: async (actor: Actor, { memories: given }: ImportMemoriesBody): Promise<Memory[]> => {
      const { userId: ownerId } = actor;
      const present = await memories.list(ownerId, { states: ['active', 'pending'] });
      const texts = new Set(present.map(({ text }) => foldText(text)));
      const missing = given.filter(({ text }) => !texts.has(foldText(text)));
      if (present.length + missing.length > MAX_MEMORIES) throw memoriesFull();
      const at = now();
      const messageId = `import:${at.toISOString()}`;
      const cause = { op: 'import', actor: 'user', replyId: null, at } as const;
      const waiting = {
        state: 'pending',
        reason: 'import',
        supersedes: null,
        source: null,
      } as const;
      const added = await Promise.all(
        missing.map(({ text, kind = 'fact' }) => {
          const id = memoryIdOf({ ...user, ownerId, messageId, text });
          return changes.insert({ ...user, ...waiting, id, ownerId, kind, text }, cause);
        }),
      );
      const own = added.filter((memory) => memory !== null);
      // Another import may have taken the room meanwhile: of several at once, the last one here counts them all.
      if ((await memories.count(ownerId)) > MAX_MEMORIES) {
        await Promise.all(own.map((memory) => changes.erase(memory, cause)));
        throw memoriesFull();
      }
      tellChanged(ownerId);
      return own.map(presentMemory);
    },

    /** Erases all memories of a user. What they said before is not saved any more; a call that fails is to be repeated. */
    forgetAll: async ({ userId }: Actor): Promise<void> => {
      const at = now();
      await forgettings.set(userId, at);
      const cause = { op: 'delete', actor: 'user', replyId: null, at } as const;
      for (;;) {
        const left = await memories.list(userId, { states: [...STATES] });
        if (left.length === 0) break;
        await Promise.all(left.map((memory) => changes.erase(memory, cause)));
      }
      tellChanged(userId);
    },
  };
}
