import type { MemoryReceipt } from '../../contract/memory.ts';
import type { Core } from '../define-feature.ts';
import type { UsageService } from '../usage/index.ts';
import { createEventStore, defineEventModel } from './event-model.ts';
import { createForgettingStore, defineForgettingModel } from './forgetting-model.ts';
import { createMemoryStore, defineMemoryModel } from './model.ts';

/** What the memory needs of other features. */
export interface Others {
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  chat: {
    replies: {
      findOwn: (
        id: string,
        ownerId: string,
      ) => Promise<{
        id: string;
        conversationId: string;
        metadata?: { memoryReceipt?: MemoryReceipt };
      } | null>;
    };
    /** Stores with the reply that its memories were undone, and publishes it. */
    markMemoriesUndone: (
      key: { id: string; conversationId: string },
      ownerId: string,
    ) => Promise<void>;
    /** Whether others may read a conversation. */
    isShared: (conversation: { id: string; ownerId: string }) => Promise<boolean>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  memories: defineMemoryModel(connection),
  events: defineEventModel(connection),
  forgettings: defineForgettingModel(connection),
});

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type MemoryFeature = ReturnType<typeof createMemoryFeature>;

export function createMemoryFeature(
  { models, bus, now }: Pick<Core, 'bus' | 'now'> & { models: ReturnType<typeof defineModels> },
  others: Others,
) {
  return {
    memories: createMemoryStore(models.memories),
    events: createEventStore(models.events),
    forgettings: createForgettingStore(models.forgettings),
    others,
    now,
    /** Events are not awaited: a tab that misses one catches up. */
    publishChange: (ownerId: string) => void bus.publish(ownerId, 'memory:changed', undefined),
  };
}
