import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { sweepEach } from '../../sweep-each.ts';
import type { createAttach } from './attach.ts';
import type { Deletion } from './deletion.ts';
import { contentKey } from './file-record.ts';
import type { FileStore, StoringFile } from './records-model.ts';

/** A request that stores a file has ended by then. */
const STORING_MS = 5 * 60_000;
const BATCH = 100;

interface StoringDeps {
  store: Pick<FileStore, 'storing' | 'markStored'>;
  objects: Pick<ObjectStore, 'head'>;
  finishStoring: ReturnType<typeof createAttach>['finishStoring'];
  finishStored: ReturnType<typeof createAttach>['finishStored'];
  deletion: Pick<Deletion, 'removeStoring'>;
  now: () => Date;
}

/** Finishes files whose storing a crash has cut; one whose upload is gone too is deleted. */
export function createStoringSweep(deps: StoringDeps) {
  const { store, objects, deletion, now } = deps;

  const finish = async (file: StoringFile): Promise<void> => {
    try {
      await deps.finishStoring(file, file.upload);
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
      // The upload is removed only after the copy; what stands there was copied from it.
      const facts = await objects.head(contentKey(file));
      if (facts?.size === file.size) await deps.finishStored(file);
      else await deletion.removeStoring(file);
    }
  };

  return async (): Promise<void> => {
    const before = new Date(now().getTime() - STORING_MS);
    await sweepEach(await store.storing({ before, limit: BATCH }), finish);
  };
}
