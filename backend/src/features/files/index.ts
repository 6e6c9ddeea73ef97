import { defineFeature } from '../define-feature.ts';
import { createFiles, defineModels, type Others } from './create.ts';
import { fileRoutes } from './routes.ts';

export type { FilesService } from './create.ts';
export type { FileRecord } from './file-record.ts';
export type { MessageFiles } from './uses.ts';

const MINUTE_MS = 60_000;

/** Files of users: uploads, the library, their text, and what replies may cite of it. */
export const files = defineFeature({
  name: 'files',
  models: defineModels,
  socketEvents: ['file:changed', 'file:deleted'],
  create: (core, others: Others) => createFiles(core, others),
  routes: ({ service, rateLimit }) => [fileRoutes({ files: service, rateLimit })],
  sweeps: ({ service: { sweeps } }) => [
    { name: 'files that are being stored', everyMs: MINUTE_MS, run: sweeps.storing },
    { name: 'storage counters', everyMs: 5 * MINUTE_MS, run: sweeps.storage },
    { name: 'deleted files', everyMs: MINUTE_MS, run: sweeps.deleted },
    { name: 'files that were never sent', everyMs: 60 * MINUTE_MS, run: sweeps.unused },
  ],
  eraseUser: ({ service }) => service.removeAllOf,
});
