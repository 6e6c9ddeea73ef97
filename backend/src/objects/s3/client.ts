import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectMissingError, UploadRefusedError } from '../port.ts';

export interface S3Options {
  endpoint: string;
  /** The address by which browsers reach the store; `endpoint` when left out. */
  publicEndpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The service that issues temporary credentials, and the role it issues them for. */
  sts?: { endpoint: string; roleArn: string } | undefined;
  /** Objects or parts per listing, at most 1,000. */
  pageSize?: number;
  /** How long one request may take, and how long its answer may pause; the SDK makes a request up to three times. */
  timeoutMs?: number;
}

/** What the calls to one bucket share. */
export interface Connection {
  client: S3Client;
  /** For copying and joining, which take the store longer the larger the object is. */
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

/** Requests of this client have no checksums that S3 does not require: a signed address would carry that of an empty body. */
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
  // Without it the SDK only warns and keeps waiting.
  throwOnRequestTimeout: true,
  // The request's time ends with the first byte of the answer; this bounds the rest.
  socketTimeout: timeoutMs,
});

/** Answers of a store that does not have the object, or has another one. HEAD has no body, so only the status tells. */
export const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && [404, 412].includes(error.$metadata.httpStatusCode ?? 0);

/** @throws ObjectMissingError instead of the store's own error for it */
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

/** @throws UploadRefusedError instead of the store's own errors for it */
export async function orRefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof S3ServiceException) || !REFUSED.has(error.name)) throw error;
    throw new UploadRefusedError(error.name, { cause: error });
  }
}
