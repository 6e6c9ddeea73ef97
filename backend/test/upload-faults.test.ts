// Fault 28: uploads that are cut, and processes that are killed between two calls of the object store.

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../src/contract/errors.ts';
import type {
  AttachedFile,
  FileList,
  FilePage,
  MultipartUpload,
  UploadTarget,
  UserFile,
} from '../src/contract/files.ts';
import { type HttpGate, startHttpGate } from './http-gate.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const MB = 1024 * 1024;
const STORE = process.env.S3_ENDPOINT ?? '';

let stack: Stack;
/** The gate between the server's processes and the object store. */
let gate: HttpGate;

beforeAll(async () => {
  gate = await startHttpGate(STORE);
  stack = await startStack({ S3_ENDPOINT: gate.url, S3_PUBLIC_ENDPOINT: STORE });
});

const subscriber = () => visitor(stack.web.url).subscriber();

const attach = <T = AttachedFile>(api: ApiClient, uploadURL: string) =>
  api.post<T>('/objects/attach', { uploadURL, fileName: 'a.bin', purpose: 'library' });

const target = async (api: ApiClient, { length: fileSize }: Buffer) =>
  (await api.post<UploadTarget>('/objects/upload', { fileName: 'a.bin', fileSize })).body;

const put = async ({ uploadURL, method, headers }: UploadTarget, bytes: Buffer) =>
  (await fetch(uploadURL, { method, headers, body: new Uint8Array(bytes) })).status;

const library = async (api: ApiClient): Promise<UserFile[]> =>
  (await api.get<FileList>('/files')).body.files;

async function bytesOf(api: ApiClient, { url }: UserFile): Promise<Buffer> {
  const headers = { authorization: `Bearer ${api.token}` };
  const redirect = await fetch(`${api.url}${url}`, { headers, redirect: 'manual' });
  const got = await fetch(redirect.headers.get('location') ?? '');
  return Buffer.from(await got.arrayBuffer());
}

/** The library has one file, with these bytes. */
async function expectOnly(api: ApiClient, bytes: Buffer): Promise<void> {
  const files = await library(api);
  expect(files.map(({ size }) => size)).toEqual([bytes.length]);
  expect((await bytesOf(api, files[0] as UserFile)).equals(bytes)).toBe(true);
}

/** Sends the first `length` bytes of an upload, then breaks the connection. */
const sendPart = ({ uploadURL, method, headers }: UploadTarget, bytes: Buffer, length: number) =>
  new Promise<void>((resolve) => {
    const sized = { ...headers, 'content-length': bytes.length };
    const outgoing = request(uploadURL, { method, headers: sized });
    outgoing.on('error', () => undefined).on('close', resolve);
    outgoing.flushHeaders();
    outgoing.write(bytes.subarray(0, length), () => setImmediate(() => outgoing.destroy()));
  });

describe('fault 28: an upload that is cut', () => {
  const bytes = randomBytes(300_000);

  it.each([0, 1, 65_536, bytes.length - 1])(
    'after %i bytes is not stored, and succeeds when it is repeated with the same URL',
    async (length) => {
      const api = await subscriber();
      const upload = await target(api, bytes);
      await sendPart(upload, bytes, length);
      const early = await attach<ErrorBody>(api, upload.uploadURL);
      expect([early.status, early.body.code]).toEqual([409, 'upload_incomplete']);
      expect(await library(api)).toEqual([]);
      expect(await put(upload, bytes)).toBe(200);
      expect((await attach(api, upload.uploadURL)).status).toBe(200);
      await expectOnly(api, bytes);
    },
  );
});

/** Kills the web process once a call is stopped at the gate, and starts it again. */
async function killAtGate(held: Promise<void>, call: Promise<unknown>): Promise<void> {
  const failing = call.catch(() => undefined);
  await held;
  await stack.web.kill();
  await failing;
  await stack.web.restart();
}

const MOMENTS = ['before', 'after'] as const;

describe('fault 28: a web process that is killed', () => {
  const isCompletion = (at: { method?: string | undefined; url?: string | undefined }) =>
    at.method === 'POST' && /uploadId=/.test(at.url ?? '');

  it.each(MOMENTS)(
    '%s the object store joins the parts of an upload lets it be completed again',
    async (moment) => {
      const api = await subscriber();
      const bytes = randomBytes(5 * MB + 1);
      const said = { filename: 'a.bin', metadata: { size: bytes.length } };
      const begin = await api.post<MultipartUpload>('/s3/multipart', said);
      const { key, uploadId } = begin.body;
      const path = `/s3/multipart/${uploadId}`;
      const query = `key=${encodeURIComponent(key)}`;
      for (const [number, part] of [
        [1, bytes.subarray(0, 5 * MB)],
        [2, bytes.subarray(5 * MB)],
      ] as const) {
        const { url } = (await api.get<{ url: string }>(`${path}/${number}?${query}`)).body;
        await fetch(url, { method: 'PUT', body: new Uint8Array(part) });
      }
      const { body: parts } = await api.get<{ PartNumber: number; ETag: string }[]>(
        `${path}?${query}`,
      );
      const named = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
      const complete = () =>
        api.post<{ location: string }>(`${path}/complete?${query}`, { parts: named });
      await killAtGate(gate.hold(moment, isCompletion), complete());
      expect(await library(api)).toEqual([]);
      const again = await complete();
      expect(again.status).toBe(200);
      expect((await attach(api, again.body.location)).status).toBe(200);
      await expectOnly(api, bytes);
    },
  );

  /** The calls of attaching at the object store: between the first and the second, it inserts the record. */
  const CUTS = [
    ['after', 'reads the upload', 'GET'],
    ['before', 'copies the upload', 'PUT'],
    ['after', 'copies the upload', 'PUT'],
    ['after', 'removes the upload', 'DELETE'],
  ] as const;

  it.each(CUTS)('%s attaching %s lets it be attached again, once', async (moment, _, method) => {
    const api = await subscriber();
    const bytes = randomBytes(50_000);
    const upload = await target(api, bytes);
    await put(upload, bytes);
    const held = gate.hold(moment, (call) => {
      const of = decodeURIComponent(`${call.url} ${String(call.headers['x-amz-copy-source'])}`);
      return call.method === method && of.includes('/uploads/');
    });
    await killAtGate(held, attach(api, upload.uploadURL));
    expect((await attach(api, upload.uploadURL)).status).toBe(200);
    await expectOnly(api, bytes);
    const { body } = await api.get<FileList>('/files');
    expect(body.storage.used).toBe(bytes.length);
  });
});

describe('a worker that is killed', () => {
  it('once the text of a file is stored has it read by another, with the same text', async () => {
    const api = await subscriber();
    const bytes = Buffer.from('The owl hoots.');
    const upload = await target(api, bytes);
    await put(upload, bytes);
    const held = gate.hold(
      'after',
      ({ method, url }) => method === 'PUT' && /text\.json\.gz/.test(url ?? ''),
    );
    const { body } = await attach(api, upload.uploadURL);
    await held;
    await stack.worker.kill();
    expect((await library(api))[0]?.state).toBe('reading');
    const second = await startProcess('worker', { env: stack.env });
    await expect.poll(async () => (await library(api))[0]?.state).toBe('ready');
    const page = await api.get<FilePage>(`/files/${body.id}/pages/1`);
    expect(page.body.text).toBe('The owl hoots.');
    await second.kill('SIGTERM');
  });
});
