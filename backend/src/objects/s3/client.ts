import { AbortMultipartUploadCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectMissingError, UploadRefusedError } from '../port.ts';

export interface S3Options {
  endpoint: string;
  /** The URL by which browsers reach the store; by default `endpoint`. */
  publicEndpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The service that issues temporary credentials, and their role. */
  sts?: { endpoint: string; roleArn: string } | undefined;
  /** Objects or parts per listing, at most 1,000. */
  pageSize?: number;
  /** Timeout of one request, and of a pause in its answer; the SDK makes up to three attempts. */
  timeoutMs?: number;
}

/** The shared parts of calls to one bucket. */
export interface Connection {
  client: S3Client;
  /** For copying and joining, whose duration grows with the object. */
  slowClient: S3Client;
  bucket: string;
  pageSize: number;
}

export function connectS3(options: S3Options): Connection {
  const { timeoutMs = 10_000, pageSize = 1_000, bucket } = options;
  return {
    client: s3Client(options, timeoutMs),
    slowClient: s3Client(options, 6 * timeoutMs),
    bucket,
    pageSize,
  };
}

/** A client without checksums that S3 does not require: a signed URL would contain the checksum of an empty body. */
export function s3Client(
  { endpoint, region, accessKeyId, secretAccessKey }: S3Options,
  timeoutMs: number,
): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: requestLimits(timeoutMs),
  });
}

export const requestLimits = (timeoutMs: number) => ({
  connectionTimeout: timeoutMs,
  requestTimeout: timeoutMs,
  // Without it the SDK only warns and continues to wait.
  throwOnRequestTimeout: true,
  // The request's timeout ends with the first byte of the answer; this limits the rest.
  socketTimeout: timeoutMs,
});

/** The answers of a store for a missing or different object. HEAD has no body, so only the status is known. */
export const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && [404, 412].includes(error.$metadata.httpStatusCode ?? 0);

/** @throws ObjectMissingError instead of the store's own error */
export async function orMissing<T>(key: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ObjectMissingError(`There is no such object: ${key}`, { cause: error });
  }
}

const REFUSED = new Set([
  'NoSuchUpload',
  'InvalidPart',
  'InvalidPartOrder',
  'EntityTooSmall',
  'EntityTooLarge',
]);

export const isUnknownUpload = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'NoSuchUpload';

/** Aborts an upload; one that is complete or was aborted meanwhile is left alone. */
export async function abortUpload(
  { client, bucket: Bucket }: Connection,
  upload: { Key: string | undefined; UploadId: string | undefined },
): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand({ Bucket, ...upload }));
  } catch (error) {
    if (!isUnknownUpload(error)) throw error;
  }
}

/** @throws UploadRefusedError instead of the store's own errors */
export async function orRefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof S3ServiceException) || !REFUSED.has(error.name)) throw error;
    throw new UploadRefusedError(error.name, { cause: error });
  }
}
