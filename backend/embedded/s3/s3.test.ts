import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
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
let own: string;
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
  own = await mkdtemp(path.join(tmpdir(), 'stolas-s3-'));
  dir = path.join(own, 'store');
  await start();
  await store.createBucket(Bucket);
});

afterAll(async () => {
  await stop();
  await rm(own, { recursive: true, force: true });
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
  it('returns a stored object, whole and in ranges, until it is deleted', async () => {
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

  it('accepts a signed upload from a browser, once and as signed', async () => {
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

  it('refuses requests without a signature, or signed with another key', async () => {
    await put('private', 'secret');
    expect((await fetch(`${endpoint}/${Bucket}/private`)).status).toBe(403);
    const stranger = clientWith({ ...credentials, secretAccessKey: 'guess' });
    await expect(
      stranger.send(new GetObjectCommand({ Bucket, Key: 'private' })),
    ).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    stranger.destroy();
  });

  it('joins the parts of an upload, and removes an aborted one', async () => {
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

  it('treats keys that resemble paths as names', async () => {
    for (const Key of ['../../out', '..%2f..%2fout', '/etc/passwd', 'a/../b'])
      expect([Key, await put(Key, Key).then(() => read(Key))]).toEqual([Key, Key]);
    expect(await readdir(own)).toEqual(['store']);
    expect(await readdir(dir)).toEqual(['buckets', 'tmp']);
  });

  it('refuses unsupported requests with error codes of S3', async () => {
    await expect(client.send(new GetBucketAclCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });

  const startUpload = async (Key: string, Body = 'x') => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const upload = { Bucket, Key, UploadId };
    const { ETag } = await client.send(
      new UploadPartCommand({ ...upload, PartNumber: 1, Body, ChecksumAlgorithm: 'CRC32' }),
    );
    return { ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
  };
  const refused = (name: string) => expect.objectContaining({ name });

  it('applies If-None-Match wherever an object is stored', async () => {
    await put('taken', 'first');
    const copy = { Bucket, Key: 'taken', CopySource: `${Bucket}/kept-source`, IfNoneMatch: '*' };
    await put('kept-source', 'second');
    await expect(client.send(new CopyObjectCommand(copy))).rejects.toEqual(
      refused('PreconditionFailed'),
    );
    const upload = { ...(await startUpload('taken')), IfNoneMatch: '*' };
    await expect(client.send(new CompleteMultipartUploadCommand(upload))).rejects.toEqual(
      refused('PreconditionFailed'),
    );
    expect(await read('taken')).toBe('first');
    await client.send(new CopyObjectCommand({ ...copy, Key: 'free' }));
    expect(await read('free')).toBe('second');
  });

  it('copies only the object that the caller has seen', async () => {
    const { ETag } = await put('seen', 'old');
    const copy = {
      Bucket,
      Key: 'seen-copy',
      CopySource: `${Bucket}/seen`,
      CopySourceIfMatch: ETag,
    };
    await client.send(new CopyObjectCommand(copy));
    await put('seen', 'new');
    await expect(client.send(new CopyObjectCommand(copy))).rejects.toEqual(
      refused('PreconditionFailed'),
    );
    expect(await read('seen-copy')).toBe('old');
  });

  it('refuses unsupported conditions', async () => {
    await put('conditional', 'stays');
    const object = { Bucket, Key: 'conditional' };
    const source = { CopySource: `${Bucket}/conditional`, CopySourceIfNoneMatch: '"x"' };
    const Objects = [{ Key: 'conditional', ETag: '"x"' }];
    for (const command of [
      new DeleteObjectCommand({ ...object, IfMatch: '"x"' }),
      new PutObjectCommand({ ...object, Body: 'new', IfMatch: '"x"' }),
      new CopyObjectCommand({ ...object, ...source }),
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    ])
      await expect(client.send(command as DeleteObjectCommand)).rejects.toEqual(
        refused('NotImplemented'),
      );
    expect(await read('conditional')).toBe('stays');
  });

  it('completes an upload only with the checksums that its parts have', async () => {
    const upload = await startUpload('checked', 'hello');
    const { ETag } = upload.MultipartUpload.Parts[0] ?? {};
    const complete = (checksum: object) =>
      client.send(
        new CompleteMultipartUploadCommand({
          ...upload,
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag, ...checksum }] },
        }),
      );
    await expect(complete({ ChecksumCRC32: 'AAAAAA==' })).rejects.toEqual(refused('InvalidPart'));
    await expect(complete({ ChecksumSHA256: 'AAAA' })).rejects.toEqual(refused('InvalidPart'));
    await expect(complete({ ChecksumCRC32C: 'AAAAAA==' })).rejects.toEqual(
      refused('NotImplemented'),
    );
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32('hello'));
    await complete({ ChecksumCRC32: crc.toString('base64') });
    expect(await read('checked')).toBe('hello');
  });

  it('answers a repeated completion like the first while the object is the same', async () => {
    const upload = await startUpload('repeated');
    const complete = () => client.send(new CompleteMultipartUploadCommand(upload));
    const first = await complete();
    await stop();
    await start();
    expect((await complete()).ETag).toBe(first.ETag);
    await put('repeated', 'another object');
    await expect(complete()).rejects.toEqual(refused('NoSuchUpload'));
    expect(await read('repeated')).toBe('another object');
  });

  it('lists a common prefix when one key after StartAfter has it', async () => {
    for (const key of ['a/1', 'a/2', 'b']) await put(`after/${key}`, 'x');
    const list = (options: object) =>
      client.send(
        new ListObjectsV2Command({ Bucket, Prefix: 'after/', Delimiter: '/', ...options }),
      );
    const { CommonPrefixes, Contents } = await list({ StartAfter: 'after/a/1' });
    expect(CommonPrefixes).toEqual([{ Prefix: 'after/a/' }]);
    expect(Contents?.map(({ Key }) => Key)).toEqual(['after/b']);
    const none = await list({ StartAfter: 'after/a/2' });
    expect(none.CommonPrefixes).toBeUndefined();
    const page = await list({ MaxKeys: 1 });
    const rest = await list({ ContinuationToken: page.NextContinuationToken });
    expect([page.CommonPrefixes, rest.CommonPrefixes]).toEqual([
      [{ Prefix: 'after/a/' }],
      undefined,
    ]);
    for (const ContinuationToken of ['garbage', 'MTph!', ''])
      await expect(list({ ContinuationToken })).rejects.toEqual(refused('InvalidArgument'));
  });

  it('lists unfinished uploads in pages', async () => {
    const keys = ['up/ü 1', 'up/ü 1', 'up/ü 1', 'up/2'];
    const ids = new Set<string | undefined>();
    for (const Key of keys)
      ids.add((await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId);
    const listed: string[] = [];
    let markers: object | undefined = {};
    while (markers) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({
          Bucket,
          Prefix: 'up/',
          MaxUploads: 1,
          EncodingType: 'url',
          ...markers,
        }),
      );
      for (const { Key, UploadId } of page.Uploads ?? []) {
        listed.push(decodeURIComponent(Key ?? ''));
        ids.delete(UploadId);
      }
      const { NextKeyMarker = '', NextUploadIdMarker: UploadIdMarker } = page;
      const KeyMarker = decodeURIComponent(NextKeyMarker);
      markers = page.IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
    }
    expect([listed, ids.size]).toEqual([['up/2', 'up/ü 1', 'up/ü 1', 'up/ü 1'], 0]);
  });

  it('keeps all data after a restart', async () => {
    await put('kept', 'still here');
    await stop();
    await start();
    expect(await read('kept')).toBe('still here');
    expect(faults).toEqual([]);
  });
});
