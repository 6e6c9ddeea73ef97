import type { Actor } from '../../../access/index.ts';
import type { GrantsBody, RecordGrants } from '../../../contract/access.ts';
import { replaceRecordGrants } from '../../record-grants.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from './file-record.ts';
import { openToChange } from './open.ts';

/** Replaces all grants of a file. For those who lose access by it, it is gone. @throws AppError as `replaceRecordGrants` */
export const replaceGrants = (
  files: FilesFeature,
  actor: Actor,
  { id, grants: wanted }: GrantsBody & { id: string },
): Promise<RecordGrants> =>
  replaceRecordGrants<FileRecord>(files, actor, {
    wanted,
    open: () => openToChange(files, actor, { id, action: 'manage' }),
    check: (file) => keep(files, file),
    replace: files.records.replaceGrants,
    publish: (changed, { lost }) => {
      files.publishDeletion({ id, userIds: lost });
      void files.publishChange(changed).catch(() => undefined);
    },
  });

/** A shared file stays when the conversation that it was attached in is deleted. */
export async function keep({ records, now }: FilesFeature, file: FileRecord): Promise<void> {
  if (!file.inLibrary) await records.attachAgain(file, { inLibrary: true, now: now() });
}
