import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import type { UploadStore } from './upload-model.ts';

/** Longer than removing one object and its parts takes. */
const LEASE_MS = 10 * 60_000;

interface SweepDeps {
  uploads: Pick<UploadStore, 'leaseDue' | 'drop'>;
  objects: Pick<ObjectStore, 'removeAll'>;
  now: () => Date;
}

/**
 * Removes what is left of uploads that have ended: unfinished parts, the object, and then the grant. Cut off anywhere,
 * it is done again once the lease has ended.
 */
export function createUploadSweep({ uploads, objects, now }: SweepDeps): () => Promise<void> {
  async function* leaseAll() {
    for (;;) {
      const grant = await uploads.leaseDue(new Date(now().getTime() + LEASE_MS));
      if (!grant) return;
      yield grant;
    }
  }
  return () =>
    sweepEach(leaseAll(), async (grant) => {
      await objects.removeAll(folderOf(grant.key));
      await uploads.drop(grant);
    });
}

const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);
