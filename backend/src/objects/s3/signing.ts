import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ObjectStore } from '../port.ts';
import { type S3Options, s3Client } from './client.ts';

type Signing = Pick<ObjectStore, 'signPut' | 'signGet' | 'signPart'>;

/** The signed headers of every URL for writing. */
const SIGNED = ['host', 'content-length'];

/** Signed URLs. Signing makes no request. */
export function signingCalls(options: S3Options): Signing {
  const { bucket: Bucket, endpoint, publicEndpoint = endpoint } = options;
  const client = s3Client({ ...options, endpoint: publicEndpoint }, 0);

  return {
    signPut: async (Key, { type, size, expiresInSeconds }) => {
      const object = { Bucket, Key, ContentLength: size };
      const command = new PutObjectCommand({ ...object, ...(type && { ContentType: type }) });
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresInSeconds,
        signableHeaders: new Set([...SIGNED, ...(type ? ['content-type'] : [])]),
      });
      return { url, headers: type ? { 'content-type': type } : {}, expiresInSeconds };
    },

    signGet: async (Key, { type, disposition, expiresInSeconds }) => {
      const command = new GetObjectCommand({
        Bucket,
        Key,
        ResponseContentType: type,
        ResponseContentDisposition: disposition,
      });
      const url = await getSignedUrl(client, command, { expiresIn: expiresInSeconds });
      return { url, headers: {}, expiresInSeconds };
    },

    signPart: async ({ key, uploadId, partNumber }, { size, expiresInSeconds }) => {
      const part = { Bucket, Key: key, UploadId: uploadId, PartNumber: partNumber };
      const command = new UploadPartCommand({ ...part, ContentLength: size });
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresInSeconds,
        signableHeaders: new Set(SIGNED),
      });
      return { url, headers: {}, expiresInSeconds };
    },
  };
}
