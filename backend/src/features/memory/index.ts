import { defineFeature } from '../define-feature.ts';
import { jsonEntry } from '../export-entry.ts';
import { finishErasing } from './changes.ts';
import { createMemoryFeature, defineModels, type Others } from './feature.ts';
import { memoryContributor } from './read.ts';
import { memoryRoutes } from './routes.ts';
import { memoryStep } from './step.ts';
import { exportMemories, removeAllOf } from './whole.ts';

const ERASE_EVERY_MS = 60_000;

/** Memories of users across conversations. */
export const memory = defineFeature({
  name: 'memory',
  models: defineModels,
  owners: { memories: 'ownerId', events: 'ownerId', forgettings: '_id' },
  shardKeys: { memories: ['ownerId'], events: ['ownerId'], forgettings: ['_id'] },
  socketEvents: ['memory:changed'],
  create: (core, others: Others) => createMemoryFeature(core, others),
  routes: ({ service, rateLimit }) => [memoryRoutes(service, rateLimit)],
  contributors: ({ service }) => [memoryContributor(service)],
  postSteps: ({ service, jsonModel }) => [memoryStep(service, jsonModel)],
  sweeps: ({ service }) => [
    { name: 'erased memories', everyMs: ERASE_EVERY_MS, run: () => finishErasing(service) },
  ],
  exportUser: ({ service }, userId) => [
    jsonEntry('memories.json', async () => (await exportMemories(service, { userId })).memories),
    jsonEntry('memory-history.json', async () =>
      (await service.events.all(userId)).map(({ ownerId: _own, ...event }) => event),
    ),
  ],
  eraseUser: ({ service }, userId) => removeAllOf(service, userId),
});
