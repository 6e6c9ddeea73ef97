import type { Reader } from '../../access/index.ts';
import type { Config } from '../../config.ts';
import type { BillingService } from '../billing/index.ts';
import type { Core } from '../define-feature.ts';
import { type AsksWorkspaces, audienceOf, ownersOf } from '../record-grants.ts';
import type { UsageService } from '../usage/index.ts';
import { createDeletionStore, defineDeletedFileModel } from './library/deletion-model.ts';
import { defineFileModel } from './library/file-model.ts';
import type { FileRecord } from './library/file-record.ts';
import { type Asked, createPlanLimits } from './library/plan-limits.ts';
import { presentFile, presentFor } from './library/present.ts';
import { createFileStore } from './library/records-model.ts';
import { createStoredBytesStore, defineStorageModel } from './library/stored-bytes-model.ts';
import { createUseStore } from './library/uses-model.ts';
import { createReadingLanes, createRecognitionLane } from './reading/lanes.ts';
import { createLocalCopies } from './reading/local-copies.ts';
import { createReadingStore } from './reading/reading-model.ts';
import { createRecognitionTasks } from './reading/recognition-model.ts';
import { createFileTexts } from './reading/text-store.ts';
import { createUploadStore, defineUploadModel } from './uploads/upload-model.ts';
import { createVectors } from './vectors/job.ts';
import { createMarksCache, createRenderings } from './viewer/caches.ts';

/** What files need of other features. */
export interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  chat: {
    /** Those conversations among `ids` that the reader may read. */
    readableAmong: (
      reader: Reader,
      ids: string[],
    ) => Promise<{ id: string; ownerId: string; formerOwners: readonly string[] }[]>;
  };
  workspaces: AsksWorkspaces['others']['workspaces'] & Asked['workspaces'];
}

export const defineModels = (connection: Core['connection']) => ({
  files: defineFileModel(connection),
  storage: defineStorageModel(connection),
  deletedFiles: defineDeletedFileModel(connection),
  uploads: defineUploadModel(connection),
});

interface FilesCore
  extends Pick<
    Core,
    'redis' | 'produce' | 'objects' | 'reader' | 'embedder' | 'bus' | 'now' | 'log'
  > {
  models: ReturnType<typeof defineModels>;
  config: Pick<
    Config,
    'PRO_UPLOAD_MB' | 'OPENAI_VISION' | 'CONTEXT_TOKENS' | 'FILE_READERS' | 'OCR'
  >;
}

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type FilesFeature = ReturnType<typeof createFilesFeature>;

export function createFilesFeature(core: FilesCore, others: Others) {
  const { models, objects, reader, bus, now, log, config } = core;
  const records = createFileStore(models.files);
  return {
    records,
    uses: createUseStore(models.files),
    deletions: createDeletionStore(models.files, models.deletedFiles),
    storedBytes: createStoredBytesStore(models.storage),
    uploads: createUploadStore(models.uploads, now),
    readings: createReadingStore(models.files),
    readingLanes: createReadingLanes(core),
    recognitions: createRecognitionTasks(models.files),
    recognitionLane: createRecognitionLane(core),
    texts: createFileTexts({ objects, find: records.find }),
    copies: createLocalCopies(core),
    /** Null without an embedding model. */
    vectors: createVectors(core),
    /** Until this time in ms the model is not asked for questions in other words, because it has failed. */
    rephrasing: { pausedUntil: 0 },
    marks: createMarksCache(),
    renderings: createRenderings(now),
    objects,
    reader,
    config,
    others,
    limitsFor: createPlanLimits({ config, others }),
    now,
    log,
    /** A tab that misses the event catches up. */
    publishChange: async (file: FileRecord): Promise<void> => {
      const owner = (await ownersOf({ others }, [file]))(file);
      if (!owner) {
        await bus.publish(file.ownerId, 'file:changed', presentFile(file));
        return;
      }
      for (const [userId, role] of await audienceOf({ others }, file))
        await bus.publish(userId, 'file:changed', presentFor(file, { role, owner }));
    },
    publishDeletion: ({ id, userIds }: { id: string; userIds: readonly string[] }) => {
      for (const userId of userIds) void bus.publish(userId, 'file:deleted', { id });
    },
  };
}
