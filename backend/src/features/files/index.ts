import { defineFeature } from '../define-feature.ts';
import { bindTo, type FilesService, withCalls } from './calls.ts';
import { sourcesStep } from './citations/sources-step.ts';
import { createFilesFeature, defineModels, type Others } from './feature.ts';
import { attachUpload } from './library/attach.ts';
import { removeAllOf, sweepDeleted, sweepUnused, UNSENT_MS } from './library/deletion.ts';
import { exportFiles } from './library/export.ts';
import { fileRoutes } from './library/routes.ts';
import { sweepReservations } from './library/stored-bytes.ts';
import { sweepStoring } from './library/storing-sweep.ts';
import { uploadsByKey } from './migrations.ts';
import { recognitionJobs, recognitionSweep } from './reading/recognition.ts';
import { readingJobs, readingSweep } from './reading/task.ts';
import { formRoutes } from './uploads/form.ts';
import { GRANT_MS } from './uploads/grants.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { sweepUploads } from './uploads/sweep.ts';
import { vectorsJobs } from './vectors/compute.ts';
import { viewerRoutes } from './viewer/routes.ts';

export { createMarkerFilter, type MarkerFilter } from './citations/marker-filter.ts';
export { withMarkers, withoutSourceLinks } from './citations/source-links.ts';
export type { OpenedContent } from './library/open-content.ts';
export type { FilesSize, MessageFiles } from './library/uses.ts';
export type { EvidenceText } from './retrieval/evidence.ts';
export type { FilesService };

const MINUTE_MS = 60_000;

/** Files of users: uploads, the library, their text, and what replies may cite of it. */
export const files = defineFeature({
  name: 'files',
  models: defineModels,
  owners: { files: 'ownerId', storage: '_id', deletedFiles: 'ownerId', uploads: 'ownerId' },
  shardKeys: {
    files: ['ownerId'],
    storage: ['_id'],
    deletedFiles: ['ownerId'],
    uploads: ['ownerId'],
  },
  retention: [
    { kind: 'unusedFile', seconds: UNSENT_MS / 1_000 },
    { kind: 'upload', seconds: GRANT_MS / 1_000 },
  ],
  migrations: [uploadsByKey],
  socketEvents: ['file:changed', 'file:deleted'],
  create: (core, others: Others) => withCalls(createFilesFeature(core, others)),
  routes: ({ service, rateLimit }) => [
    fileRoutes(service, rateLimit),
    uploadRoutes(service, rateLimit),
    viewerRoutes(service, rateLimit),
  ],
  rawRoutes: ({ service, rateLimit }) => [
    formRoutes(service, { rateLimit, attach: bindTo(service)(attachUpload) }),
  ],
  jobs: ({ service }) => [
    ...readingJobs(service),
    ...recognitionJobs(service),
    ...vectorsJobs(service),
  ],
  sweeps: ({ service }) => [
    readingSweep(service),
    recognitionSweep(service),
    { name: 'ended uploads', runBy: 'each', everyMs: MINUTE_MS, run: () => sweepUploads(service) },
    { name: 'files that are being stored', everyMs: MINUTE_MS, run: () => sweepStoring(service) },
    { name: 'storage counters', everyMs: 5 * MINUTE_MS, run: () => sweepReservations(service) },
    { name: 'deleted files', everyMs: MINUTE_MS, run: () => sweepDeleted(service) },
    {
      name: 'files that were never sent',
      everyMs: 60 * MINUTE_MS,
      run: () => sweepUnused(service),
    },
  ],
  postSteps: ({ service, jsonModel }) => [sourcesStep(service, jsonModel)],
  userStores: ({ service }) => [
    {
      name: 'redis',
      count: async (userId) => {
        const counts = await Promise.all(fairQueuesOf(service).map(({ count }) => count(userId)));
        return counts.reduce((sum, count) => sum + count, 0);
      },
    },
  ],
  exportUser: ({ service }, userId) => exportFiles(service, userId),
  eraseUser: async ({ service }, userId) => {
    await removeAllOf(service, userId);
    await service.endGrants({ userId });
    await Promise.all(fairQueuesOf(service).map(({ forget }) => forget(userId)));
  },
});

const fairQueuesOf = ({ readingLanes: { users, guests }, recognitionLane }: FilesService) =>
  [users, guests, recognitionLane].map(({ fairQueue }) => fairQueue);
