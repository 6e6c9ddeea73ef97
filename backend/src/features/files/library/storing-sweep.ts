import { sweepEach } from '../../../jobs/sweep-each.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { finishStored, finishStoring } from './attach.ts';
import { removeStoring } from './deletion.ts';
import { contentKey } from './file-record.ts';
import type { StoringFile } from './records-model.ts';

/** By then a request that stores a file has ended. */
const STORING_MS = 5 * 60_000;
const BATCH = 100;

/** Finishes files whose storing was interrupted by a crash; a file whose upload is gone too is deleted. */
export async function sweepStoring(files: FilesFeature): Promise<void> {
  const before = new Date(files.now().getTime() - STORING_MS);
  await sweepEach(await files.records.storing({ before, limit: BATCH }), (file) =>
    finish(files, file),
  );
}

async function finish(files: FilesFeature, file: StoringFile): Promise<void> {
  try {
    await finishStoring(files, file, file.upload);
  } catch (error) {
    if (!(error instanceof ObjectMissingError)) throw error;
    // The upload is removed only after the copy, so an existing object is that copy.
    const facts = await files.objects.head(contentKey(file));
    if (facts?.size === file.size) await finishStored(files, file);
    else await removeStoring(files, file);
  }
}
