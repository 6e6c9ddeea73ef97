import type { Actor } from '../../../access/index.ts';
import type { MessageFile } from '../../../contract/messages.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { attachUpload } from '../library/attach.ts';
import { contentKey } from '../library/file-record.ts';
import { fileUrl } from '../library/present.ts';
import type { FileKey } from '../library/records-model.ts';
import { endGrant, openGrant } from './grants.ts';

/**
 * Copies a file of another user into the actor's library, as an upload of the actor. The caller has checked that the actor may read it. The
 * same content is one file, also when this is repeated.
 * @returns null for a file that is gone
 * @throws AppError as `openGrant` and `attachUpload`
 */
export async function copyToLibrary(
  files: FilesFeature,
  actor: Actor,
  source: FileKey,
): Promise<MessageFile | null> {
  const { records, objects } = files;
  const file = await records.find(source);
  const facts = file && (await objects.head(contentKey(file)));
  if (!file || !facts) return null;
  const { name, type } = file;
  const grant = await openGrant(files, actor, { purpose: 'library', name, type, size: facts.size });
  try {
    const from = { key: contentKey(file), ifMatch: facts.etag };
    await objects.copy(from, { key: grant.key, type });
    const upload = { uploadURL: grant.key, fileName: name, purpose: grant.purpose };
    const { id, size } = await attachUpload(files, actor, upload);
    return { id, name, url: fileUrl(id), objectPath: fileUrl(id), type, size };
  } catch (error) {
    await endGrant(files, grant);
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}
