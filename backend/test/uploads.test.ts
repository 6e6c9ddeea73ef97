import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { AttachedFile, FileList, UploadTarget } from '../src/contract/files.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { type PartRequest, uploadWithUppy } from './uppy.mjs';
import { visitor } from './visitor.ts';

const MB = 1024 * 1024;
let stack: Stack;
/** The proxy between browsers and the object store. */
let proxy: TcpProxy;

beforeAll(async () => {
  proxy = await startTcpProxy(Number(new URL(process.env.S3_ENDPOINT ?? '').port));
  stack = await startStack({ S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${proxy.port}` });
});

const subscriber = () => visitor(stack.web.url).subscriber('pro');

type SendPart = (part: PartRequest, onHalf?: () => void) => Promise<{ ETag: string }>;

/** Uppy's use of XMLHttpRequest, which Node lacks. `onHalf` is called once half of the bytes were sent. */
const sendPart: SendPart = async (
  { signature: { url, method = 'PUT', headers }, body },
  onHalf,
) => {
  const bytes = Buffer.from(await body.arrayBuffer());
  return new Promise((resolve, reject) => {
    const fail = (status = 0) =>
      reject(Object.assign(new Error(`Failed with ${status}`), { source: { status } }));
    const length = { 'content-length': bytes.length };
    const outgoing = request(url, { method, headers: { ...headers, ...length } }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) return fail(answer.statusCode);
      return resolve({ ETag: answer.headers.etag ?? '' });
    });
    outgoing.on('error', () => fail());
    const half = Math.floor(bytes.length / 2);
    outgoing.write(bytes.subarray(0, half), onHalf);
    outgoing.end(bytes.subarray(half));
  });
};

/** @returns the URL of the upload */
async function upload(api: ApiClient, bytes: Buffer, send: SendPart = sendPart): Promise<string> {
  const { uploadURL = '', errors } = await uploadWithUppy({
    endpoint: `${api.url}/api`,
    headers: { authorization: `Bearer ${api.token}` },
    bytes,
    multipartFrom: 20 * MB,
    send: (part) => send(part),
  });
  expect(errors).toEqual([]);
  return uploadURL;
}

const attach = <T = AttachedFile>(api: ApiClient, uploadURL: string, purpose = 'library') =>
  api.post<T>('/objects/attach', { uploadURL, fileName: 'a.bin', fileType: 'x/y', purpose });

const download = async (api: ApiClient, path: string) => {
  const headers = { authorization: `Bearer ${api.token}` };
  const redirect = await fetch(`${api.url}${path}`, { headers, redirect: 'manual' });
  const got = await fetch(redirect.headers.get('location') ?? '');
  return Buffer.from(await got.arrayBuffer());
};

describe('Uppy', () => {
  it('uploads a small file with one signed URL', async () => {
    const api = await subscriber();
    const bytes = randomBytes(1_000);
    const { status, body } = await attach(api, await upload(api, bytes));
    expect([status, body.size]).toEqual([200, 1_000]);
    expect((await download(api, body.objectPath)).equals(bytes)).toBe(true);
  });

  it('uploads a large file in parts, although the connection of one part is cut', async () => {
    const api = await subscriber();
    const bytes = randomBytes(25 * MB);
    let cuts = 0;
    const cutOnce: SendPart = (part) => {
      const isCut = part.signature.url.includes('partNumber=2&') && cuts === 0;
      if (!isCut) return sendPart(part);
      cuts += 1;
      return sendPart(part, () => {
        proxy.cut();
        proxy.restore();
      });
    };
    const { status, body } = await attach(api, await upload(api, bytes, cutOnce));
    expect([cuts, status, body.size]).toEqual([1, 200, bytes.length]);
    expect((await download(api, body.objectPath)).equals(bytes)).toBe(true);
    const { files } = (await api.get<FileList>('/files')).body;
    expect(files.map(({ id }) => id)).toEqual([body.id]);
  });
});

describe('an upload', () => {
  const put = async (api: ApiClient, bytes: Buffer) => {
    const { body } = await api.post<UploadTarget>('/objects/upload', { fileSize: bytes.length });
    const { uploadURL, method, headers } = body;
    const answer = await fetch(uploadURL, { method, headers, body: new Uint8Array(bytes) });
    expect(answer.status).toBe(200);
    return body;
  };

  it('cannot be attached by another user, by key or by URL', async () => {
    const [ada, bob] = [await subscriber(), await subscriber()];
    const { key, uploadURL } = await put(ada, Buffer.from('secret'));
    for (const address of [key, uploadURL, uploadURL.split('?')[0] ?? ''])
      expect((await attach(bob, address)).status).toBe(404);
    expect((await attach(ada, uploadURL)).status).toBe(200);
  });

  it('does not change a file with its upload URL', async () => {
    const api = await subscriber();
    const { uploadURL } = await put(api, Buffer.from('as attached'));
    const { body } = await attach(api, uploadURL);
    expect((await fetch(uploadURL, { method: 'PUT', body: 'a new text!' })).status).toBe(200);
    expect(String(await download(api, body.objectPath))).toBe('as attached');
    expect((await attach(api, uploadURL)).body.id).toBe(body.id);
  });

  it('that is larger than declared is refused by the store', async () => {
    const guest = await stack.guest();
    const { uploadURL, key } = (await guest.post<UploadTarget>('/objects/upload', { fileSize: 10 }))
      .body;
    const body = new Uint8Array(6 * MB);
    // The store may close the connection before it has read all of it.
    const refused = await fetch(uploadURL, { method: 'PUT', body }).catch(() => ({ status: 403 }));
    expect(refused.status).toBe(403);
    expect((await attach<ErrorBody>(guest, key)).body.code).toBe('upload_incomplete');
    const declared = await guest.post<ErrorBody>('/objects/upload', { fileSize: 6 * MB });
    expect([declared.status, declared.body.code]).toEqual([413, 'too_large']);
  });

  it('is not for users without a plan', async () => {
    const { api } = await visitor(stack.web.url).member();
    for (const [path, body] of [
      ['/objects/upload', { fileSize: 1 }],
      ['/s3/multipart', { filename: 'a', metadata: { size: 1 } }],
    ] as const)
      expect((await api.post<ErrorBody>(path, body)).body.code).toBe('subscription_required');
  });

  it('can be a form', async () => {
    const api = await subscriber();
    const form = new FormData();
    form.set('file', new Blob(['Hello']), 'hello.txt');
    const headers = { authorization: `Bearer ${api.token}` };
    const init = { method: 'POST', headers, body: form };
    const answer = await fetch(`${api.url}/api/files`, init);
    const file = (await answer.json()) as AttachedFile;
    expect([answer.status, file.name, file.size]).toEqual([200, 'hello.txt', 5]);
    expect(String(await download(api, file.objectPath))).toBe('Hello');
  });
});

it('lets pages of any origin use a signed URL, and read the ETag of a part', async () => {
  const guest = await stack.guest();
  const { uploadURL } = (await guest.post<UploadTarget>('/objects/upload', { fileSize: 1 })).body;
  const origin = { origin: stack.web.url };
  const preflight = await fetch(uploadURL, {
    method: 'OPTIONS',
    headers: {
      ...origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type',
    },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
  const put = await fetch(uploadURL, { method: 'PUT', headers: origin, body: 'x' });
  expect(put.headers.get('access-control-allow-origin')).toBe('*');
  expect(put.headers.get('access-control-expose-headers')).toContain('ETag');
});

it('lets pages call the object store, and nothing else new', async () => {
  const policy = (await fetch(stack.web.url)).headers.get('content-security-policy') ?? '';
  const directives = policy.split(';').filter((text) => text.includes(String(proxy.port)));
  expect(directives.map((text) => text.trim().split(' ')[0])).toEqual(['img-src', 'connect-src']);
});
