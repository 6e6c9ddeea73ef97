import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createS3ObjectStore, type ObjectStore } from './index.ts';

let client: S3Client;
let store: ObjectStore;
let Bucket: string;

beforeAll(() => {
  const { S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY_ID = '' } = process.env;
  const { S3_SECRET_ACCESS_KEY = '' } = process.env;
  Bucket = S3_BUCKET;
  const keys = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY };
  const at = { endpoint: S3_ENDPOINT, region: 'us-east-1' };
  client = new S3Client({ ...at, credentials: keys, forcePathStyle: true });
  store = createS3ObjectStore({ ...at, ...keys, bucket: Bucket, pageSize: 3 });
});

const put = (Key: string) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
const keysUnder = async (Prefix: string) =>
  ((await client.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).map(
    ({ Key }) => Key,
  );

it('removes all objects of one owner, over several pages, and none of other owners', async () => {
  const owner = randomUUID();
  const mine = Array.from({ length: 8 }, (_, n) => `users/${owner}/files/${n}`);
  const neighbour = `users/${owner}0/file`;
  await Promise.all([...mine, neighbour].map(put));
  await store.removeAll(`users/${owner}/`);
  expect(await keysUnder(`users/${owner}`)).toEqual([neighbour]);
  await store.removeAll(`users/${owner}/`);
});

it('aborts unfinished uploads', async () => {
  const prefix = `users/${randomUUID()}/`;
  for (const name of ['a', 'b'])
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `${prefix}${name}` }));
  await store.removeAll(prefix);
  const { Uploads } = await client.send(
    new ListMultipartUploadsCommand({ Bucket, Prefix: prefix }),
  );
  expect(Uploads ?? []).toEqual([]);
});

it.each(['', '/', 'users/1'])('refuses %j, which is more than one owner', async (prefix) => {
  await expect(store.removeAll(prefix)).rejects.toThrow('prefix');
});

describe('a failing store', () => {
  /** An object store that answers with `listener`; the embedded one cannot fail in this way. */
  async function troubled(listener: RequestListener): Promise<ObjectStore> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return createS3ObjectStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      bucket: 'bucket',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      timeoutMs: 100,
    });
  }

  it('is an error when it never answers', async () => {
    const store = await troubled(() => undefined);
    await expect(store.removeAll('users/1/')).rejects.toThrow('100 ms');
  });

  it('is an error when it stops in the middle of its answer', async () => {
    const store = await troubled((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/xml' }).write('<?xml version="1.0"?>');
    });
    await expect(store.removeAll('users/1/')).rejects.toThrow('100 ms');
  });

  it('is an error with the reason when it does not delete one of the objects', async () => {
    const answers: Record<string, string> = {
      GET: '<ListBucketResult><Contents><Key>users/1/a</Key></Contents></ListBucketResult>',
      POST: '<DeleteResult><Error><Key>users/1/a</Key><Code>AccessDenied</Code></Error></DeleteResult>',
    };
    const store = await troubled((req, res) => {
      res.writeHead(200, { 'content-type': 'application/xml' });
      const uploads = req.url?.includes('uploads');
      res.end(uploads ? '<ListMultipartUploadsResult/>' : answers[req.method ?? '']);
    });
    await expect(store.removeAll('users/1/')).rejects.toThrow('AccessDenied');
  });
});
