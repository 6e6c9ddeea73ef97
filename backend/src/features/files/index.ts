import { defineFeature } from '../define-feature.ts';
import { createFiles, defineModels, type Others } from './feature.ts';
import { UNSENT_MS } from './library/deletion.ts';
import { presentFile } from './library/present.ts';
import { fileRoutes } from './library/routes.ts';
import { readingJobs, readingRoutes, readingSweeps } from './reading/index.ts';
import { createFormRoutes, createUploadRoutes, GRANT_MS, uploadSweep } from './uploads/index.ts';
import { createViewer } from './viewer/index.ts';

export {
  createMarkerFilter,
  type MarkerFilter,
  withMarkers,
  withoutSourceLinks,
} from './citations/index.ts';
export type { FilesService } from './feature.ts';
export type { FilesSize, MessageFiles } from './library/uses.ts';
export type { EvidenceText } from './retrieval/evidence.ts';

const MINUTE_MS = 60_000;

/** Files of users: uploads, the library, their text, and what replies may cite of it. */
export const files = defineFeature({
  name: 'files',
  models: defineModels,
  owners: { files: 'ownerId', storage: '_id', deletedFiles: 'ownerId', uploads: 'ownerId' },
  retention: [
    { kind: 'unusedFile', seconds: UNSENT_MS / 1_000 },
    { kind: 'upload', seconds: GRANT_MS / 1_000 },
  ],
  socketEvents: ['file:changed', 'file:deleted'],
  create: (core, others: Others) => createFiles(core, others),
  routes: ({ service, ...own }) => [
    fileRoutes({ ...own, files: service }),
    createUploadRoutes({ ...own, ...service }),
    readingRoutes({ ...own, ...service.reading, present: presentFile }),
    createViewer(own, service.reading),
  ],
  rawRoutes: ({ service, ...own }) => [createFormRoutes({ ...own, ...service })],
  jobs: ({ service, ...own }) => [
    ...readingJobs(own, service.reading),
    ...(service.vectors?.jobs() ?? []),
  ],
  sweeps: ({ service: { sweeps, reading, uploads }, ...own }) => [
    ...readingSweeps(own, reading),
    uploadSweep({ ...own, uploads }),
    { name: 'files that are being stored', everyMs: MINUTE_MS, run: sweeps.storing },
    { name: 'storage counters', everyMs: 5 * MINUTE_MS, run: sweeps.storage },
    { name: 'deleted files', everyMs: MINUTE_MS, run: sweeps.deleted },
    { name: 'files that were never sent', everyMs: 60 * MINUTE_MS, run: sweeps.unused },
  ],
  postSteps: ({ service, jsonModel, others: { usage } }) => [
    service.sourcesStep({ jsonModel, usage }),
  ],
  exportUser: ({ service }) => service.exportOf,
  eraseUser: ({ service }) => service.removeAllOf,
});
