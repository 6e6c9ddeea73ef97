import type { Actor } from '../../../access/index.ts';
import type { MultipartUpload, UploadTarget } from '../../../contract/files.ts';
import { partBytesOf } from '../../../contract/limits.ts';
import { AppError, notFound } from '../../../errors.ts';
import {
  NotOfferedError,
  type SignedAddress,
  type UploadedPart,
  UploadRefusedError,
} from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { uploadKey } from '../library/file-record.ts';
import { type Declared, endGrant, findGrant, openGrant, SIGNED_SECONDS } from './grants.ts';

const LIFETIME = { expiresInSeconds: SIGNED_SECONDS };

type Uploading = Pick<FilesFeature, 'uploads' | 'objects' | 'limitsFor' | 'storedBytes' | 'now'>;

/** A multipart upload, as its calls name it. */
export interface UploadName {
  key: string;
  uploadId: string;
}

/** A URL to PUT one file to. The client chooses the request's type; nothing relies on it. */
export async function createTarget(
  files: Uploading,
  actor: Actor,
  declared: Declared,
): Promise<UploadTarget> {
  const { key, url, headers, expiresInSeconds } = await signPut(files, actor, declared);
  return { uploadURL: url, key, method: 'PUT', headers, expiresIn: expiresInSeconds };
}

/** As `createTarget`, for Uppy: it sends the headers in the answer. */
export const signWhole = (
  files: Uploading,
  actor: Actor,
  declared: Declared,
): Promise<SignedAddress & { key: string }> =>
  signPut(files, actor, declared, mediaType(declared.type));

async function signPut(files: Uploading, actor: Actor, declared: Declared, type?: string) {
  const { key } = await openGrant(files, actor, declared);
  const { size } = declared;
  const options = { ...LIFETIME, size, ...(type && { type }) };
  return { key, ...(await files.objects.signPut(key, options)) };
}

/** Begins a multipart upload. */
export async function createMultipart(
  files: Uploading,
  actor: Actor,
  declared: Declared,
): Promise<MultipartUpload> {
  const { objects, uploads, now } = files;
  const grant = await openGrant(files, actor, declared);
  const { key } = grant;
  const type = mediaType(declared.type) ?? 'application/octet-stream';
  const uploadId = await objects.createUpload(key, { type }).catch(async (error: unknown) => {
    // No URL was signed: it takes no storage, and what the store may have begun is removed at once.
    await uploads.end(grant, { sweepAt: now() });
    throw error;
  });
  await uploads.begin(grant, uploadId);
  return { key, uploadId, bucket: objects.bucket };
}

/** @throws AppError not_found, also for an upload of another key */
async function findUpload(files: Uploading, actor: Actor, { key, uploadId }: UploadName) {
  const grant = await findGrant(files, actor, key);
  if (grant.uploadId !== uploadId) throw notFound('upload');
  return { ...grant, uploadId };
}

export async function listParts(
  files: Uploading,
  actor: Actor,
  name: UploadName,
): Promise<UploadedPart[]> {
  const upload = await findUpload(files, actor, name);
  return files.objects.listParts(upload).catch((error: unknown) => {
    // Completed or aborted at the store, or removed there by a rule of the bucket.
    if (error instanceof UploadRefusedError) throw notFound('upload');
    throw error;
  });
}

/** @throws AppError invalid_field for a part after the end of the file */
export async function signPart(
  files: Uploading,
  actor: Actor,
  { partNumber, ...name }: UploadName & { partNumber: number },
): Promise<SignedAddress> {
  const upload = await findUpload(files, actor, name);
  const whole = partBytesOf(upload.size);
  const size = Math.min(whole, upload.size - (partNumber - 1) * whole);
  if (size <= 0) throw noSuchPart();
  return files.objects.signPart({ ...upload, partNumber }, { ...LIFETIME, size });
}

/**
 * Joins the parts; a repeated call does no harm.
 * @returns the object's URL, which attaching accepts
 */
export async function completeMultipart(
  files: Uploading,
  actor: Actor,
  { parts, ...name }: UploadName & { parts: { PartNumber: number; ETag: string }[] },
): Promise<{ location: string; key: string; bucket: string }> {
  const { objects } = files;
  const { key, uploadId } = await findUpload(files, actor, name);
  await objects.completeUpload({ key, uploadId }, parts).catch((error: unknown) => {
    if (error instanceof UploadRefusedError) throw incomplete();
    throw error;
  });
  const { bucket, publicOrigin } = objects;
  return { location: `${publicOrigin}/${bucket}/${key}`, key, bucket };
}

/** Drops the parts. */
export async function abortMultipart(
  files: Uploading,
  actor: Actor,
  name: UploadName,
): Promise<void> {
  const upload = await findUpload(files, actor, name);
  await files.objects.abortUpload(upload);
  await endGrant(files, upload);
}

/**
 * Credentials that can only write uploads of this user. The store limits neither their number nor their length, so guests get none.
 * @throws AppError not_supported, subscription_required
 */
export async function temporaryCredentials({ objects, limitsFor }: Uploading, actor: Actor) {
  if (actor.isGuest) throw notForGuests();
  await limitsFor(actor, 'library');
  try {
    return await objects.temporaryCredentials(uploadKey(actor.userId, ''));
  } catch (error) {
    if (error instanceof NotOfferedError) throw notOffered();
    throw error;
  }
}

/** A media type without parameters; undefined for any other text from a client. */
const mediaType = (type: string | undefined): string | undefined =>
  type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined;

const incomplete = () =>
  new AppError(
    'upload_incomplete',
    'Parts of this upload are missing or were changed. Upload the file again.',
  );

const noSuchPart = () =>
  new AppError('invalid_field', 'This upload ends before that part.', {
    details: { field: 'partNumber' },
  });

const notForGuests = () =>
  new AppError('subscription_required', 'Choose a plan to upload files with credentials.', {
    details: { upgrade: true },
  });

const notOffered = () =>
  new AppError(
    'not_supported',
    'This installation issues no temporary credentials. Ask for a signed address for each upload instead.',
  );
