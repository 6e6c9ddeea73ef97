import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { ObjectMissingError, type ObjectStore } from '../port.ts';
import { abortUpload, type Connection, isMissing, orMissing } from './client.ts';

type Objects = Pick<
  ObjectStore,
  'head' | 'read' | 'write' | 'writeStream' | 'copy' | 'remove' | 'removeAll' | 'count'
>;

/** Whole objects. */
export function objectCalls(connection: Connection): Objects {
  const { client, slowClient, bucket: Bucket } = connection;
  return {
    head: async (Key) => {
      try {
        const { ContentLength, ETag } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        return { size: ContentLength ?? 0, etag: ETag ?? '' };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    read: async (Key, { ifMatch, range, signal } = {}) => {
      const command = new GetObjectCommand({
        Bucket,
        Key,
        ...(ifMatch !== undefined && { IfMatch: ifMatch }),
        ...(range && { Range: `bytes=${range.start}-${range.end}` }),
      });
      const answer = client.send(command, { ...(signal && { abortSignal: signal }) });
      const { Body } = await orMissing(Key, answer);
      if (!(Body instanceof Readable)) throw new ObjectMissingError(`${Key} has no content.`);
      return Body;
    },

    write: async (Key, Body, { type }) => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: type }));
    },

    writeStream: async (Key, body, { type }) => {
      const params = { Bucket, Key, Body: body, ContentType: type };
      // One part at a time: a stream takes 5 MB of memory.
      await new Upload({ client, params, queueSize: 1 }).done();
    },

    copy: async (from, to) => {
      const command = new CopyObjectCommand({
        Bucket,
        Key: to.key,
        CopySource: `${Bucket}/${from.key.split('/').map(encodeURIComponent).join('/')}`,
        CopySourceIfMatch: from.ifMatch,
        MetadataDirective: 'REPLACE',
        ContentType: to.type,
      });
      await orMissing(from.key, slowClient.send(command));
    },

    remove: async (Key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },

    removeAll: (prefix) => removeAll(connection, prefix),

    count: (prefix) => count(connection, prefix),
  };
}

async function removeAll(connection: Connection, prefix: string): Promise<void> {
  if (!/[^/]\/$/.test(prefix)) throw new Error(`'${prefix}' is not the prefix of one owner.`);
  // Before the objects: an upload that completes meanwhile would leave an object.
  await abortUploads(connection, prefix);
  const { client, pageSize, bucket: Bucket } = connection;
  const pages = paginateListObjectsV2({ client, pageSize }, { Bucket, Prefix: prefix });
  for await (const { Contents = [] } of pages) {
    const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    if (keys.length > 0) await removeObjects(connection, keys);
  }
}

async function removeObjects({ client, bucket: Bucket }: Connection, keys: string[]) {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
  if (Errors.length > 0)
    throw new Error(`${Errors.length} objects were not removed: ${Errors[0]?.Code}`);
}

/** Aborted uploads are no longer listed, so the first page is read until it is empty. */
async function abortUploads(connection: Connection, Prefix: string): Promise<void> {
  const { client, bucket: Bucket } = connection;
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  if (Uploads.length === 0) return;
  // Whoever began it may abort it at the same time.
  for (const { Key, UploadId } of Uploads) await abortUpload(connection, { Key, UploadId });
  await abortUploads(connection, Prefix);
}

async function count({ client, pageSize, bucket: Bucket }: Connection, Prefix: string) {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  let found = Uploads.length;
  for await (const page of paginateListObjectsV2({ client, pageSize }, { Bucket, Prefix }))
    found += page.Contents?.length ?? 0;
  return found;
}
