import { randomBytes } from 'node:crypto';
import type { Actor } from '../../access/index.ts';
import { typeOf } from '../../reading/index.ts';
import { accountOf, type BillingService } from '../billing/index.ts';
import type { Core } from '../define-feature.ts';
import type { UsageService } from '../usage/index.ts';
import { createCitations } from './citations/index.ts';
import { createAttach } from './library/attach.ts';
import { createDeletion } from './library/deletion.ts';
import { createDeletionStore, defineDeletedFileModel } from './library/deletion-model.ts';
import { createFileExport } from './library/export.ts';
import { defineFileModel } from './library/file-model.ts';
import type { FileRecord } from './library/file-record.ts';
import { createLibrary } from './library/list.ts';
import { createLimits } from './library/plan-limits.ts';
import { presentFile } from './library/present.ts';
import { createFileStore } from './library/records-model.ts';
import { createStorage } from './library/stored-bytes.ts';
import { createStorageStore, defineStorageModel } from './library/stored-bytes-model.ts';
import { createStoringSweep } from './library/storing-sweep.ts';
import { createUses } from './library/uses.ts';
import { createUseStore } from './library/uses-model.ts';
import { createReading } from './reading/index.ts';
import { createEvidenceSearch } from './retrieval/evidence.ts';
import { createUploadStore, defineUploadModel, SWEEP_DELAY_MS } from './uploads/index.ts';
import { createVectors } from './vectors/index.ts';

/** What files need of other features. */
export interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  usage: UsageService;
}

export const defineModels = (connection: Core['connection']) => ({
  files: defineFileModel(connection),
  storage: defineStorageModel(connection),
  deletedFiles: defineDeletedFileModel(connection),
  uploads: defineUploadModel(connection),
});

export type Models = ReturnType<typeof defineModels>;

/** What other features and the parts of this one may call. */
export type FilesService = ReturnType<typeof createFiles>;

export function createFiles(core: Core & { models: Models }, { billing }: Others) {
  const { models, objects, bus, now, log, config } = core;
  const store = createFileStore(models.files);
  const deletions = createDeletionStore(models.files, models.deletedFiles);
  const storage = createStorage({ store, counters: createStorageStore(models.storage), now });
  const limitsFor = createLimits({
    entitlementsOf: (...user) => billing.entitlementsOf(...user),
    config,
  });
  const deletion = createDeletion({ ...core, deletions, store, storage });

  /** Publishes a file to its owner's tabs; a tab that misses it catches up. */
  const tellChanged = async (file: FileRecord): Promise<void> => {
    await bus.publish(file.ownerId, 'file:changed', presentFile(file));
  };
  const tellUsed = async (ownerId: string, ids: string[]): Promise<void> => {
    try {
      await Promise.all((await store.findMany(ownerId, ids)).map(tellChanged));
    } catch (error) {
      log.warn({ err: error }, 'the tabs were not told of the use of files');
    }
  };

  const uploads = createUploadStore(models.uploads, now);
  const reading = createReading(core, {
    model: models.files,
    publishChange: tellChanged,
    onReady: async (file) => vectors?.enqueue(file),
    isGuest: async (userId) => (await billing.entitlementsOf(userId)).kind === 'guest',
  });
  const vectors = createVectors(core, { ...store, ...reading });
  const attaching = createAttach({
    ...core,
    grants: uploads,
    store,
    storage,
    limitsFor,
    typeOf,
    tellChanged: (file) => void tellChanged(file),
    enqueueReading: reading.enqueueReading,
    newId: () => randomBytes(12).toString('hex'),
  });
  const storageLimitOf = async (actor: Actor): Promise<number> =>
    (await billing.entitlementsOf(actor.userId, accountOf(actor))).storageBytes;

  return {
    uploads,
    reading,
    vectors,
    limitsFor,
    storedBytes: storage.used,
    tellChanged,
    find: store.find,
    findMany: store.findMany,
    attach: attaching.attach,
    remove: deletion.remove,
    ...createCitations(core, { store, reading, billing, vectors }),
    evidenceFor: createEvidenceSearch({ findMany: store.findMany, texts: reading.texts, log }),
    ...createLibrary({ store, storage, storageLimitOf, objects }),
    ...createUses({
      store,
      uses: createUseStore(models.files),
      now,
      tellUsed,
      deletion,
    }),
    exportOf: createFileExport({ store, objects }),
    sweeps: {
      storing: createStoringSweep({ ...attaching, store, objects, deletion, now }),
      storage: storage.sweep,
      unused: deletion.sweepUnused,
      deleted: deletion.sweepDeleted,
    },
    removeAllOf: async (ownerId: string): Promise<void> => {
      await uploads.endAll(ownerId, { sweepAt: new Date(now().getTime() + SWEEP_DELAY_MS) });
      await deletions.removeAllOf(ownerId);
      await storage.removeOf(ownerId);
    },
  };
}
