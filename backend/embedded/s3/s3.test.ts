import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3Server } from './server.ts';
import { Store } from './store.ts';

const Bucket = 'test';
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const faults: unknown[] = [];
let dir: string;
let store: Store;
let endpoint: string;
let client: S3Client;
let stop: () => Promise<void>;

async function start() {
  store = await Store.open(dir);
  const server = createS3Server({ store, credentials, report: (error) => faults.push(error) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = clientWith(credentials);
  stop = async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
}

const clientWith = (keys: typeof credentials) =>
  new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: keys,
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'stolas-s3-'));
  await start();
  await store.createBucket(Bucket);
});

afterAll(async () => {
  await stop();
  await rm(dir, { recursive: true, force: true });
});

const put = (Key: string, Body: string | Buffer) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/plain' }));

const read = async (Key: string, Range?: string) => {
  const { Body } = await client.send(
    new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }),
  );
  return Body?.transformToString();
};

describe('the object store', () => {
  it('gives back what was put, whole and in part, until it is deleted', async () => {
    await put('a/b ü+&.txt', 'Hello, owl');
    expect(await read('a/b ü+&.txt')).toBe('Hello, owl');
    expect(await read('a/b ü+&.txt', 'bytes=7-')).toBe('owl');
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'a/b ü+&.txt' }));
    expect([head.ContentType, head.ContentLength]).toEqual(['text/plain', 10]);
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a/b ü+&.txt' }));
    await expect(read('a/b ü+&.txt')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('lists in pages', async () => {
    for (const n of [1, 2, 3]) await put(`list/${n}`, 'x');
    const page = (ContinuationToken?: string) =>
      client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: 'list/',
          MaxKeys: 2,
          ...(ContinuationToken && { ContinuationToken }),
        }),
      );
    const first = await page();
    const second = await page(first.NextContinuationToken);
    expect([...(first.Contents ?? []), ...(second.Contents ?? [])].map(({ Key }) => Key)).toEqual([
      'list/1',
      'list/2',
      'list/3',
    ]);
  });

  it('takes a signed upload from a browser, once and as signed', async () => {
    const command = new PutObjectCommand({ Bucket, Key: 'signed', ContentType: 'image/png' });
    const signableHeaders = new Set(['content-type']);
    const url = await getSignedUrl(client, command, { expiresIn: 60, signableHeaders });
    const send = (type: string) =>
      fetch(url, { method: 'PUT', body: 'png', headers: { 'content-type': type } });
    expect((await send('text/html')).status).toBe(403);
    expect((await send('image/png')).status).toBe(200);
    const readUrl = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'signed' }));
    expect(await (await fetch(readUrl)).text()).toBe('png');
  });

  it('refuses who has not signed, or with another key', async () => {
    await put('private', 'secret');
    expect((await fetch(`${endpoint}/${Bucket}/private`)).status).toBe(403);
    const stranger = clientWith({ ...credentials, secretAccessKey: 'guess' });
    await expect(
      stranger.send(new GetObjectCommand({ Bucket, Key: 'private' })),
    ).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    stranger.destroy();
  });

  it('joins the parts of an upload, and forgets one that is aborted', async () => {
    const Body = randomBytes(11 * 1024 * 1024);
    await new Upload({ client, params: { Bucket, Key: 'large', Body } }).done();
    const { Body: stored } = await client.send(new GetObjectCommand({ Bucket, Key: 'large' }));
    expect(Buffer.from((await stored?.transformToByteArray()) ?? []).equals(Body)).toBe(true);

    const Key = 'aborted';
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const upload = { Bucket, Key, UploadId };
    const part = await client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' }));
    const { Parts } = await client.send(new ListPartsCommand(upload));
    expect(Parts).toMatchObject([{ PartNumber: 1, ETag: part.ETag, Size: 1 }]);
    const wrong = { Parts: [{ PartNumber: 1, ETag: `"${'0'.repeat(32)}"` }] };
    await expect(
      client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: wrong })),
    ).rejects.toMatchObject({ name: 'InvalidPart' });
    await client.send(new AbortMultipartUploadCommand(upload));
    await expect(client.send(new ListPartsCommand(upload))).rejects.toMatchObject({
      name: 'NoSuchUpload',
    });
  });

  it('takes keys that look like paths for what they are: names', async () => {
    const before = await readdir(path.dirname(dir));
    for (const Key of ['../../out', '..%2f..%2fout', '/etc/passwd', 'a/../b'])
      expect([Key, await put(Key, Key).then(() => read(Key))]).toEqual([Key, Key]);
    expect(await readdir(path.dirname(dir))).toEqual(expect.arrayContaining(before));
    expect(await readdir(dir)).toEqual(['buckets', 'tmp']);
  });

  it('refuses what it does not know, in words that clients of S3 understand', async () => {
    await expect(client.send(new GetBucketAclCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });

  it('keeps everything over a restart', async () => {
    await put('kept', 'still here');
    await stop();
    await start();
    expect(await read('kept')).toBe('still here');
    expect(faults).toEqual([]);
  });
});
