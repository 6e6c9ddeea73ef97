import { type ExportEntry, nullIfGone } from '../../export-entry.ts';
import type { FilesFeature } from '../feature.ts';
import { contentKey, type FileRecord } from './file-record.ts';

const PAGE = 100;

/** The files of a user as they were uploaded, newest first. */
export async function* exportFiles(
  { records, objects }: Pick<FilesFeature, 'records' | 'objects'>,
  ownerId: string,
): AsyncGenerator<ExportEntry> {
  let before: FileRecord | undefined;
  for (;;) {
    const page = await records.page({ ownerId }, { before, limit: PAGE });
    for (const file of page) {
      const open = () => objects.read(contentKey(file)).catch(nullIfGone);
      yield { path: `files/${file.name}`, open };
    }
    before = page.at(-1);
    if (page.length < PAGE) return;
  }
}
