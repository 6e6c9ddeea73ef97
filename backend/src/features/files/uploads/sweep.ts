import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { FilesFeature } from '../feature.ts';

/** Longer than the removal of one object and its parts. */
const LEASE_MS = 10 * 60_000;

type Sweeping = Pick<FilesFeature, 'uploads' | 'objects' | 'now'>;

/**
 * Removes uploads that were not attached within a day, and the remains of attached ones: unfinished parts, the object, and then the grant.
 * An interrupted removal is repeated after the end of its lease.
 */
export const sweepUploads = (files: Sweeping): Promise<void> =>
  sweepEach(leaseAll(files), async (grant) => {
    await files.objects.removeAll(folderOf(grant.key));
    await files.uploads.drop(grant);
  });

async function* leaseAll({ uploads, now }: Sweeping) {
  for (;;) {
    const grant = await uploads.leaseDue(new Date(now().getTime() + LEASE_MS));
    if (!grant) return;
    yield grant;
  }
}

const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);
