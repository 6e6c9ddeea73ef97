import { createHash, randomBytes } from 'node:crypto';
import type { Actor } from '../../../access/index.ts';
import type { AttachedFile } from '../../../contract/files.ts';
import { AppError, notFound } from '../../../errors.ts';
import { type ObjectFacts, ObjectMissingError } from '../../../objects/index.ts';
import { type FileType, typeOf } from '../../../reading/index.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import type { FilesFeature } from '../feature.ts';
import { readingQueue } from '../reading/queue.ts';
import { contentKey, type FileRecord, uploadKey } from './file-record.ts';
import { type Purpose, storageFull, type UploadLimits } from './plan-limits.ts';
import { presentAttached } from './present.ts';
import type { UploadSource } from './records-model.ts';
import { recountBytes, reserveBytes, usedBytes } from './stored-bytes.ts';

/** An uploaded object, as the store has it. */
interface Upload extends UploadSource {
  ownerId: string;
  size: number;
}

interface NewContent extends FileType {
  sha256: string;
  name: string;
  inLibrary: boolean;
}

interface AttachRequest {
  /** The URL of the upload, or its key. */
  uploadURL: string;
  fileName: string;
  purpose: Purpose;
}

/** Enough for `typeOf` to distinguish office formats. */
const HEAD_BYTES = 64 * 1024;

// The object itself is inspected; statements of the client do not count. The record is inserted before the content is copied, so that every
// step can be repeated: by attaching again, or by `finishStoring`.

/**
 * Turns an upload of the actor into a file; a repeated call returns the same file.
 * @throws AppError not_found for an upload of another user; upload_incomplete when nothing was uploaded; subscription_required; too_large;
 * storage_full
 */
export async function attachUpload(
  files: FilesFeature,
  actor: Actor,
  { uploadURL, fileName, purpose }: AttachRequest,
): Promise<AttachedFile> {
  const { bucket } = files.objects;
  const ownerId = actor.userId;
  const key = keyOf(uploadURL, ownerId);
  const name = cleanFileName(fileName);
  const earlier = await attached(files, ownerId, key);
  if (earlier) return presentAttached(earlier, bucket);
  try {
    const file = await storeUpload(files, actor, { key, name, purpose });
    return presentAttached(file, bucket);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const file = await attached(files, ownerId, key);
    if (!file) throw incomplete(error);
    return presentAttached(file, bucket);
  }
}

/** The file of an upload that was attached before, or by another request meanwhile. */
async function attached(
  { uploads, records }: FilesFeature,
  ownerId: string,
  key: string,
): Promise<FileRecord | null> {
  const grant = await uploads.find({ ownerId, key });
  if (!grant) throw notFound('upload');
  const file = grant.fileId ? await records.find({ id: grant.fileId, ownerId }) : null;
  return file?.state === 'storing' ? null : file;
}

async function storeUpload(
  files: FilesFeature,
  actor: Actor,
  { key, name, purpose }: { key: string; name: string; purpose: Purpose },
): Promise<FileRecord> {
  const { objects, uploads, limitsFor } = files;
  const ownerId = actor.userId;
  const [facts, limits] = await Promise.all([headOf(files, key), limitsFor(actor, purpose)]);
  if (facts.size > limits.fileBytes) {
    await objects.remove(key);
    throw limits.tooLarge({ name, size: facts.size });
  }
  const upload = { ownerId, key, ...facts };
  const { sha256, head } = await readContent(await objects.read(key, { ifMatch: upload.etag }));
  const content = { sha256, ...(await typeOf({ head, name })) };
  const inLibrary = purpose === 'library';
  const file = await findOrInsert(files, upload, { ...content, name, inLibrary }, limits);
  await uploads.attach({ ownerId, key, fileId: file.id });
  const stored = await finishStoring(files, file, upload);
  await objects.remove(key);
  return stored;
}

async function headOf({ objects }: FilesFeature, key: string): Promise<ObjectFacts> {
  const facts = await objects.head(key);
  if (!facts) throw incomplete();
  return facts;
}

/** The owner's file with this content: an existing or a new one. */
async function findOrInsert(
  files: FilesFeature,
  upload: Upload,
  file: NewContent,
  limits: UploadLimits,
): Promise<FileRecord> {
  const { records, now } = files;
  const again = async () => {
    const earlier = await records.findByContent(upload.ownerId, file.sha256);
    return earlier && records.attachAgain(earlier, { inLibrary: file.inLibrary, now: now() });
  };
  const record = (await again()) ?? (await insert(files, upload, file, limits)) ?? (await again());
  // Deleted between two of these steps.
  if (!record) throw incomplete();
  return record;
}

/** @returns null when the owner has the same content from another, simultaneous upload */
async function insert(
  files: FilesFeature,
  { ownerId, size, key, etag }: Upload,
  file: NewContent,
  { storageBytes: limit }: UploadLimits,
): Promise<FileRecord | null> {
  const { records, storedBytes, now } = files;
  const id = randomBytes(12).toString('hex');
  const reservation = { fileId: id, bytes: size };
  if (!(await reserveBytes(files, ownerId, reservation, limit)))
    throw storageFull({ used: await usedBytes(files, ownerId), limit });
  const record = { ...file, id, ownerId, size, createdAt: now() };
  if (!(await records.insert({ ...record, upload: { key, etag } }))) {
    await storedBytes.release(ownerId, reservation);
    return null;
  }
  await storedBytes.settle(ownerId, id);
  const inserted = await records.find({ id, ownerId });
  // Deleted meanwhile: the recount of the deletion may have counted the reservation.
  if (!inserted) await recountBytes(files, ownerId);
  return inserted;
}

/** Copies the content to its place, which no upload URL reaches. */
export async function finishStoring(
  files: FilesFeature,
  file: FileRecord,
  upload: UploadSource,
): Promise<FileRecord> {
  if (file.state !== 'storing') return file;
  await files.objects.copy(
    { key: upload.key, ifMatch: upload.etag },
    { key: contentKey(file), type: file.type },
  );
  return finishStored(files, file);
}

/** The content is in its place: the file waits for its reading. */
export async function finishStored(files: FilesFeature, file: FileRecord): Promise<FileRecord> {
  const stored = await files.records.markStored(file);
  if (!stored) {
    const found = await files.records.find(file);
    if (!found) throw notFound('file');
    return found;
  }
  void files.publishChange(stored);
  await readingQueue(files).enqueue({ fileId: stored.id, ownerId: stored.ownerId });
  return stored;
}

/** Upload keys are `users/<owner>/uploads/<name>`, with any prefix in a URL. */
function keyOf(uploadURL: string, ownerId: string): string {
  const path = /^https?:/i.test(uploadURL) ? pathOf(uploadURL) : uploadURL;
  const prefix = uploadKey(ownerId, '');
  const at = path.startsWith(prefix) ? 0 : path.indexOf(`/${prefix}`) + 1;
  const name = path.slice(at + prefix.length);
  if (!path.startsWith(prefix, at) || name === '' || name.includes('..')) throw notFound('upload');
  return path.slice(at);
}

function pathOf(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    throw notFound('upload');
  }
}

async function readContent(stream: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    if (bytes < HEAD_BYTES) head.push(chunk);
    bytes += chunk.length;
  }
  return {
    sha256: hash.digest('hex'),
    head: Buffer.concat(head).subarray(0, HEAD_BYTES),
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof ObjectMissingError ||
  (error instanceof AppError && error.code === 'upload_incomplete');

const incomplete = (cause?: unknown) =>
  new AppError(
    'upload_incomplete',
    'The upload is not complete. Upload the file again, then attach it.',
    { cause },
  );
