import type { MemoryReceipt } from '../../contract/memory.ts';
import type { Core } from '../define-feature.ts';
import type { UsageService } from '../usage/index.ts';
import { createChanges } from './changes.ts';
import { createEventStore, defineEventModel } from './event-model.ts';
import { createForgettingStore, defineForgettingModel } from './forgetting-model.ts';
import { createMemoryStore, defineMemoryModel } from './model.ts';
import { createMemorySize } from './size.ts';

/** What the memory needs of other features. */
export interface Others {
  usage: UsageService;
  chat: {
    replies: {
      findOwn: (
        id: string,
        ownerId: string,
      ) => Promise<{ metadata?: { memoryReceipt?: MemoryReceipt } } | null>;
    };
    markMemoriesUndone: (replyId: string, ownerId: string) => Promise<void>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  memories: defineMemoryModel(connection),
  events: defineEventModel(connection),
  forgettings: defineForgettingModel(connection),
});

/** What the parts of the memory share. */
export function createMemory({
  models,
  bus,
  now,
}: Core & { models: ReturnType<typeof defineModels> }) {
  const memories = createMemoryStore(models.memories);
  const events = createEventStore(models.events);
  const forgettings = createForgettingStore(models.forgettings);
  const changes = createChanges({ memories, events });
  return {
    memories,
    forgettings,
    changes,
    promptBytesFor: createMemorySize(memories),
    now,
    /** Events are not waited for: a tab that misses one catches up. */
    tellChanged: (ownerId: string) => void bus.publish(ownerId, 'memory:changed', undefined),
    removeAllOf: async (ownerId: string): Promise<void> => {
      await events.removeAllOf(ownerId);
      await memories.removeAllOf(ownerId);
      await forgettings.removeAllOf(ownerId);
    },
  };
}
