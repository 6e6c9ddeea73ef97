import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectStore } from './port.ts';

interface S3Options {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Objects per listing, at most 1,000. */
  pageSize?: number;
  /** How long one request may take, and how long its answer may pause; the SDK makes a request up to three times. */
  timeoutMs?: number;
}

/** An object store with the S3 API. */
export function createS3ObjectStore(options: S3Options): ObjectStore {
  const { endpoint, region, bucket: Bucket, accessKeyId, secretAccessKey } = options;
  const { pageSize = 1_000, timeoutMs = 10_000 } = options;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      // Without it the SDK only warns and keeps waiting.
      throwOnRequestTimeout: true,
      // The request's time ends with the first byte of the answer; this bounds the rest.
      socketTimeout: timeoutMs,
    },
  });

  const removeObjects = async (keys: string[]) => {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
    if (Errors.length > 0)
      throw new Error(`${Errors.length} objects were not removed: ${Errors[0]?.Code}`);
  };

  /** Aborted uploads are not listed any more, so the first page is read until it is empty. */
  const abortUploads = async (Prefix: string): Promise<void> => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
    if (Uploads.length === 0) return;
    for (const { Key, UploadId } of Uploads)
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    await abortUploads(Prefix);
  };

  // @ts-expect-error -- the rest of the port is not implemented yet
  return {
    removeAll: async (prefix) => {
      if (!/[^/]\/$/.test(prefix)) throw new Error(`'${prefix}' is not the prefix of one owner.`);
      // Before the objects: an upload that completes meanwhile would leave one behind.
      await abortUploads(prefix);
      const pages = paginateListObjectsV2({ client, pageSize }, { Bucket, Prefix: prefix });
      for await (const { Contents = [] } of pages) {
        const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
        if (keys.length > 0) await removeObjects(keys);
      }
    },
  };
}
