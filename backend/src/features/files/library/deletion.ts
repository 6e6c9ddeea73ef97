import type { Actor } from '../../../access/index.ts';
import { notFound } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { sweepEach } from '../../sweep-each.ts';
import type { DeletionStore } from './deletion-model.ts';
import { filePrefix } from './file-record.ts';
import type { FileKey, FileStore } from './records-model.ts';
import type { Storage } from './stored-bytes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** By then every request or job that was copying or reading a deleted file has ended. */
const LATE_WRITES_MS = 15 * MINUTE_MS;
/** Files that were attached for a message and never sent are kept so long. */
export const UNSENT_MS = 7 * DAY_MS;
const BATCH = 100;

interface DeletionDeps {
  deletions: DeletionStore;
  store: Pick<FileStore, 'find'>;
  storage: Pick<Storage, 'recount'>;
  objects: Pick<ObjectStore, 'removeAll'>;
  bus: Bus;
  now: () => Date;
  log: Log;
}

/** Deletes files: the record first, so that nothing finds them; their objects at once, and again after all late writes. */
export type Deletion = ReturnType<typeof createDeletion>;

export function createDeletion(deps: DeletionDeps) {
  const { deletions, store, storage, objects, bus, now, log } = deps;

  const removeObjects = async (file: FileKey): Promise<void> => {
    await Promise.all([storage.recount(file.ownerId), objects.removeAll(filePrefix(file))]);
  };

  /** Deletes a file by `removeRecord`. @returns whether that has removed it */
  const deleteBy = async (
    removeRecord: (file: FileKey) => Promise<boolean>,
    file: FileKey,
  ): Promise<boolean> => {
    await deletions.note(file, now());
    // The note stays in any case: it may be that of another deletion, which is not done yet.
    if (!(await removeRecord(file))) return false;
    void bus.publish(file.ownerId, 'file:deleted', { id: file.id });
    await removeObjects(file).catch((error: unknown) => {
      log.warn({ err: error, fileId: file.id }, 'the sweep removes what is left of a file');
    });
    return true;
  };

  return {
    /** Messages keep the name of a deleted file. @throws AppError not_found */
    remove: async (actor: Pick<Actor, 'userId'>, id: string): Promise<void> => {
      const file = { id, ownerId: actor.userId };
      if (!(await store.find(file))) throw notFound('file');
      if (!(await deleteBy(deletions.remove, file))) throw notFound('file');
    },

    /** Deletes a file whose content never came. */
    removeStoring: (file: FileKey): Promise<boolean> => deleteBy(deletions.removeStoring, file),

    /** Deletes a file that only this conversation uses. @returns false when something else keeps it */
    removeOnlyUsedBy: (file: FileKey, conversationId: string): Promise<boolean> =>
      deleteBy((one) => deletions.removeOnlyUsedBy(one, conversationId), file),

    /** Deletes what was attached for a message that was never sent. */
    sweepUnused: async (): Promise<void> => {
      const before = new Date(now().getTime() - UNSENT_MS);
      await sweepEach(await deletions.unused({ before, limit: BATCH }), (file) =>
        deleteBy((one) => deletions.removeUnused(one, { before }), file),
      );
    },

    /** Removes what a crash or a late write has left of deleted files. */
    sweepDeleted: async (): Promise<void> => {
      const before = new Date(now().getTime() - LATE_WRITES_MS);
      await sweepEach(await deletions.noted({ before, limit: BATCH }), async (file) => {
        try {
          if (!(await store.find(file))) await removeObjects(file);
        } catch (error) {
          // Files that cannot be removed must not fill the batch before all others.
          await deletions.note(file, now());
          throw error;
        }
        await deletions.forget(file, { before });
      });
    },
  };
}
