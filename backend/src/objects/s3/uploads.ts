import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  paginateListParts,
} from '@aws-sdk/client-s3';
import type { ObjectStore, UploadedPart } from '../port.ts';
import { abortUpload, type Connection, isMissing, isUnknownUpload, orRefused } from './client.ts';

type Uploads = Pick<ObjectStore, 'createUpload' | 'listParts' | 'completeUpload' | 'abortUpload'>;

/** Multipart uploads. */
export function uploadCalls(connection: Connection): Uploads {
  const { client, slowClient, bucket: Bucket, pageSize } = connection;
  const exists = async (Key: string) => {
    try {
      await client.send(new HeadObjectCommand({ Bucket, Key }));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };

  const partsOf = async (upload: { Key: string; UploadId: string }) => {
    const parts: UploadedPart[] = [];
    for await (const page of paginateListParts({ client, pageSize }, { Bucket, ...upload }))
      for (const { PartNumber, ETag, Size } of page.Parts ?? [])
        if (PartNumber !== undefined && ETag !== undefined)
          parts.push({ PartNumber, ETag, Size: Size ?? 0 });
    return parts;
  };

  return {
    createUpload: async (Key, { type }) => {
      const command = new CreateMultipartUploadCommand({ Bucket, Key, ContentType: type });
      const { UploadId } = await client.send(command);
      if (!UploadId) throw new Error('The store began an upload without an id.');
      return UploadId;
    },

    listParts: ({ key, uploadId }) => orRefused(partsOf({ Key: key, UploadId: uploadId })),

    completeUpload: async ({ key, uploadId }, parts) => {
      // S3 refuses parts that are not in the order of their numbers.
      const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber);
      const upload = { Bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts } };
      try {
        await slowClient.send(new CompleteMultipartUploadCommand(upload));
      } catch (error) {
        // A client with a broken connection cannot know that its upload is complete, and repeats the request.
        if (isUnknownUpload(error) && (await exists(key))) return;
        await orRefused(Promise.reject(error));
      }
    },

    abortUpload: ({ key, uploadId }) => abortUpload(connection, { Key: key, UploadId: uploadId }),
  };
}
