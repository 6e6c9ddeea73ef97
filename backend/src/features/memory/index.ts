import { Readable } from 'node:stream';
import { defineFeature } from '../define-feature.ts';
import { createMemoryContributor } from './contributor.ts';
import { createMemory, defineModels, type Others } from './create.ts';
import { createReading } from './read.ts';
import { memoryRoutes } from './routes.ts';
import { createMemoryService } from './service.ts';
import { createMemoryStep } from './step.ts';
import { createUndo } from './undo.ts';
import { createWholeMemory } from './whole.ts';
import { createWriting } from './write.ts';

const ERASE_EVERY_MS = 60_000;

/** What is remembered of users between their conversations. */
export const memory = defineFeature({
  name: 'memory',
  models: defineModels,
  owners: { memories: 'ownerId', events: 'ownerId', forgettings: '_id' },
  socketEvents: ['memory:changed'],
  create: (core, _others: Others) => createMemory(core),
  routes: ({ service, others, rateLimit, now }) => [
    memoryRoutes({
      memory: createMemoryService(service),
      whole: createWholeMemory(service),
      undo: createUndo({
        ...service,
        receiptOf: async (replyId, ownerId) =>
          (await others.chat.replies.findOwn(replyId, ownerId))?.metadata?.memoryReceipt ?? null,
        markUndone: others.chat.markMemoriesUndone,
      }),
      rateLimit,
      now,
    }),
  ],
  contributors: ({ service }) => [createMemoryContributor(createReading(service.memories))],
  postSteps: ({ service, others, jsonModel }) => [
    createMemoryStep({
      ...service,
      write: createWriting(service),
      jsonModel,
      usage: others.usage,
    }),
  ],
  sweeps: ({ service }) => [
    { name: 'erased memories', everyMs: ERASE_EVERY_MS, run: service.changes.eraseLate },
  ],
  exportUser: ({ service }) =>
    async function* entries(userId) {
      const { memories } = await createWholeMemory(service).exported({ userId });
      const text = `${JSON.stringify(memories, null, 2)}\n`;
      yield { path: 'memories.json', open: async () => Readable.from([text]) };
    },
  eraseUser: ({ service }) => service.removeAllOf,
});
