import { randomUUID } from 'node:crypto';
import type { Actor } from '../../../access/index.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { FilesFeature } from '../feature.ts';
import { uploadKey } from '../library/file-record.ts';
import { storageFull } from '../library/plan-limits.ts';
import { usedBytes } from '../library/stored-bytes.ts';
import type { UploadGrant } from './upload-model.ts';

/**
 * Lifetime of a signed upload URL. S3 allows 604,800 s; an hour is enough for the largest file on a slow connection, and limits the use of
 * a leaked URL. Uppy requests a new one when it has expired.
 */
export const SIGNED_SECONDS = 3_600;

const HOUR_MS = 60 * 60_000;
/** The time from its beginning in which an upload can be attached. */
export const GRANT_MS = 24 * HOUR_MS;
/** By then no signed URL of an ended grant works, and no attaching is under way. */
export const SWEEP_DELAY_MS = SIGNED_SECONDS * 1_000 + 10 * 60_000;
/** Maximum number of unattached uploads that a user has begun within an hour. */
export const MAX_OPEN_UPLOADS = 50;

/** The client's statements about a file before its upload. */
export interface Declared {
  purpose: 'chat' | 'library';
  name?: string | undefined;
  type?: string | undefined;
  /** Bytes. Signed URLs accept no more. */
  size: number;
}

// Every upload has a grant, and every later call about it is checked against it.

type Granting = Pick<FilesFeature, 'uploads' | 'limitsFor' | 'storedBytes' | 'now'>;

/**
 * Lets a user upload one object.
 * @throws AppError too_large, subscription_required, storage_full, too_many_requests
 */
export async function openGrant(
  files: Granting,
  actor: Actor,
  declared: Declared,
): Promise<UploadGrant> {
  const { uploads, now } = files;
  const { fileBytes, storageBytes, tooLarge } = await files.limitsFor(actor, declared.purpose);
  const { size, name = 'This file', type, purpose } = declared;
  if (size > fileBytes) throw tooLarge({ name, size });
  const ownerId = actor.userId;
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + GRANT_MS);
  const grant: UploadGrant = {
    ownerId,
    // A separate folder: removing it also removes unfinished multipart uploads whose id was never stored.
    key: uploadKey(ownerId, `${randomUUID()}/content`),
    purpose,
    size,
    createdAt,
    expiresAt,
    sweepAt: new Date(expiresAt.getTime() + SWEEP_DELAY_MS),
    ...(declared.name !== undefined && { name: declared.name }),
    ...(type !== undefined && { type }),
  };
  await uploads.insert(grant);
  // Counted after the insertion, so that concurrent calls count each other.
  const since = new Date(createdAt.getTime() - HOUR_MS);
  const [open, stored, unfinished] = await Promise.all([
    uploads.countOpen(ownerId, since),
    usedBytes(files, ownerId),
    uploads.declaredBytes(ownerId),
  ]);
  const used = stored + unfinished;
  if (open <= MAX_OPEN_UPLOADS && used <= storageBytes) return grant;
  await uploads.end(grant, { sweepAt: createdAt });
  if (open > MAX_OPEN_UPLOADS) throw tooManyUploads();
  throw storageFull({ used: used - size, limit: storageBytes, unfinished: unfinished - size });
}

/** @throws AppError not_found for a key of another user, and for an unknown or ended one */
export async function findGrant(
  { uploads }: Pick<Granting, 'uploads'>,
  actor: Actor,
  key: string,
): Promise<UploadGrant> {
  const grant = await uploads.find({ ownerId: actor.userId, key });
  if (!grant) throw notFound('upload');
  return grant;
}

/** Ends a grant whose upload was cancelled. */
export const endGrant = (
  { uploads, now }: Pick<Granting, 'uploads' | 'now'>,
  grant: Pick<UploadGrant, 'ownerId' | 'key'>,
): Promise<void> => uploads.end(grant, { sweepAt: new Date(now().getTime() + SWEEP_DELAY_MS) });

const tooManyUploads = () =>
  new AppError(
    'too_many_requests',
    `You have ${MAX_OPEN_UPLOADS} unfinished uploads. Finish or cancel some of them, or try again in an hour.`,
    { retryAfter: SIGNED_SECONDS },
  );
