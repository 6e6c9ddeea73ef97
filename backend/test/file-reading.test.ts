// Files from upload to text, in real processes.

import { readFileSync } from 'node:fs';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AttachedFile,
  FileList,
  FilePage,
  PageMarks,
  UploadTarget,
  UserFile,
} from '../src/contract/files.ts';
import { type ServerEvents, SOCKET_PATH } from '../src/contract/realtime.ts';
import { encryptPdf, makePdf, makeZipBomb } from './documents.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

let stack: Stack;
/** A PDF that takes seconds to read. */
let slowPdf: Buffer;
/** For tests with many or slow files. */
const FACT = 'The barn owl weighs 512 grams.';

beforeAll(async () => {
  const page = (n: number) =>
    Array.from({ length: 50 }, (_, line) => `Page ${n}, line ${line}: ${n * line} owls.`).join(
      '\n',
    );
  [stack, slowPdf] = await Promise.all([
    startStack(),
    makePdf({ pages: Array.from({ length: 1_500 }, (_, n) => page(n)) }),
  ]);
});

/** Uploads a file and attaches it. */
async function upload(api: ApiClient, name: string, bytes: Uint8Array): Promise<UserFile> {
  const said = { fileName: name, fileSize: bytes.length };
  const { body: target } = await api.post<UploadTarget>('/objects/upload', said);
  const put = await fetch(target.uploadURL, {
    method: target.method,
    headers: target.headers,
    body: new Uint8Array(bytes),
  });
  expect(put.status).toBe(200);
  const attached = { uploadURL: target.uploadURL, fileName: name };
  const answer = await api.post<AttachedFile>('/objects/attach', attached);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.file;
}

const fileOf = async (api: ApiClient, id: string) =>
  (await api.get<FileList>(`/files?ids=${id}`)).body.files[0];

/** Waits for a state; fails at once when the file has ended in another one. */
async function waitFor(api: ApiClient, id: string, state: UserFile['state']): Promise<UserFile> {
  let last: UserFile | undefined;
  await expect
    .poll(
      async () => {
        last = await fileOf(api, id);
        return last?.state;
      },
      { interval: 50 },
    )
    .toBe(state);
  return last as UserFile;
}

/** The events about files that a tab of the user gets. */
async function listen(api: ApiClient) {
  const events: UserFile[] = [];
  const socket = io(api.url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token: api.token },
    forceNew: true,
  });
  socket.on('file:changed', ((file) => events.push(file)) satisfies ServerEvents['file:changed']);
  afterAll(() => void socket.disconnect());
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve());
  });
  return events;
}

const image = async (api: ApiClient, path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}/api${path}`, {
    headers: { authorization: `Bearer ${api.token}`, ...headers },
  });

describe('an uploaded PDF', () => {
  it('is read, and its pages, pictures, marks and thumbnail can be seen by its owner only', async () => {
    const [api, other] = [await stack.guest(), await stack.guest()];
    const pdf = await makePdf({ pages: ['First page.', FACT] });
    const { id } = await upload(api, 'owls.pdf', pdf);
    const file = await waitFor(api, id, 'ready');
    expect(file).toMatchObject({ pages: 2, kind: 'pdf', type: 'application/pdf' });
    const page = await api.get<FilePage>(`/files/${id}/pages/2`);
    expect(page.body).toMatchObject({ n: 2, pages: 2, text: FACT });

    const picture = await image(api, `/files/${id}/pages/2/picture?width=500`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(picture.headers.get('cache-control')).toBe('private, max-age=3600, immutable');
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await picture.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP');
    const etag = picture.headers.get('etag') ?? '';
    const again = await image(api, `/files/${id}/pages/2/picture?width=600`, {
      'if-none-match': etag,
    });
    expect(again.status).toBe(304);
    expect((await image(api, file.thumbnailUrl?.replace('/api', '') ?? '')).status).toBe(200);

    const start = FACT.indexOf('512');
    const path = `/files/${id}/pages/2/marks?start=${start}&end=${start + 9}`;
    const { rects } = (await api.get<PageMarks>(path)).body;
    expect(rects).toHaveLength(1);

    const paths = ['pages/2', 'pages/2/picture', 'pages/2/marks?start=0&end=1', 'thumbnail'];
    for (const part of paths) {
      expect((await image(other, `/files/${id}/${part}`)).status).toBe(404);
      expect((await fetch(`${api.url}/api/files/${id}/${part}`)).status).toBe(401);
    }
    expect((await other.post(`/files/${id}/read`)).status).toBe(404);
    expect((await api.get(`/files/${id}/pages/3`)).status).toBe(404);
    expect((await api.get(`/files/${id}/pages/x`)).status).toBe(404);
  });

  it('publishes its states to a tab in order', async () => {
    const api = await stack.guest();
    const events = await listen(api);
    const { id } = await upload(api, 'slow.pdf', slowPdf);
    await waitFor(api, id, 'ready');
    await expect.poll(() => events.at(-1)?.state).toBe('ready');
    const states = events.filter((file) => file.id === id).map(({ state }) => state);
    expect(states.filter((state, at) => state !== states[at - 1])).toEqual([
      'waiting',
      'reading',
      'ready',
    ]);
    const done = events.flatMap(({ progress }) => (progress ? [progress.done] : []));
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  });
});

describe('a file that cannot be read', () => {
  it("has the reason, and is read again at its owner's request", async () => {
    const api = await stack.guest();
    const pdf = await makePdf({ pages: [FACT] });
    const { id } = await upload(api, 'cut.pdf', pdf.subarray(0, 300));
    const failed = await waitFor(api, id, 'failed');
    expect(failed.problem?.message).toContain('damaged');
    const { status, body } = await api.get<{ code: string; message: string }>(
      `/files/${id}/pages/1`,
    );
    expect([status, body.code, body.message]).toEqual([
      409,
      'file_not_ready',
      failed.problem?.message,
    ]);
    const events = await listen(api);
    expect(await api.post<UserFile>(`/files/${id}/read`)).toMatchObject({ status: 202 });
    await expect
      .poll(() => events.map(({ state }) => state))
      .toEqual(['waiting', 'reading', 'failed']);
  });
});

describe('fault 29: hostile and broken files', () => {
  it('report the fault, and leave the worker running and its memory bounded', async () => {
    const own = await startStack();
    const api = await own.guest();
    const pdf = await makePdf({ pages: [FACT] });
    const hostile = {
      'bomb.docx': [await makeZipBomb({ unpackedMb: 150 }), 'too_complex'],
      'pages.pdf': [await makePdf({ pages: Array.from({ length: 10_000 }, () => '') }), 'no_text'],
      'locked.pdf': [await encryptPdf(), 'encrypted'],
      'cut.pdf': [pdf.subarray(0, 300), 'damaged'],
      'empty.txt': [Buffer.from(' '), 'empty'],
    } as const;
    const ids = await Promise.all(
      Object.entries(hostile).map(async ([name, [bytes]]) => (await upload(api, name, bytes)).id),
    );
    const problems = await Promise.all(
      ids.map(async (id) => (await waitFor(api, id, 'failed')).problem?.code),
    );
    expect(problems).toEqual(Object.values(hostile).map(([, code]) => code));
    const { id } = await upload(api, 'owls.pdf', pdf);
    await waitFor(api, id, 'ready');
    const status = readFileSync(`/proc/${own.worker.pid}/status`, 'utf8');
    const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
    expect(peakMb).toBeLessThan(500);
  });
});

describe('many files at once', () => {
  it('are all read, and do not delay the file of another user', async () => {
    const [many, one] = [await stack.guest(), await stack.guest()];
    const pdfs = await Promise.all(
      Array.from({ length: 50 }, (_, n) => makePdf({ pages: [`Owl ${n}`] })),
    );
    const files = await Promise.all(pdfs.map((pdf, n) => upload(many, `owl-${n}.pdf`, pdf)));
    const single = await upload(one, 'single.pdf', await makePdf({ pages: [FACT] }));
    await waitFor(one, single.id, 'ready');
    const unread = async () => {
      const { body } = await many.get<FileList>(`/files?ids=${files.map(({ id }) => id).join()}`);
      return body.files.filter(({ state }) => state !== 'ready').length;
    };
    expect(await unread()).toBeGreaterThan(0);
    await expect.poll(unread, { interval: 200 }).toBe(0);
  });
});

describe('fault 33: a worker that is killed', () => {
  it('while it reads a file has it read by another, the second time it is given up', async () => {
    const own = await startStack();
    const api = await own.guest();
    const { id } = await upload(api, 'slow.pdf', slowPdf);
    await waitFor(api, id, 'reading');
    await own.worker.kill('SIGKILL');
    expect((await fileOf(api, id))?.state).toBe('reading');
    const second = await startProcess('worker', { env: own.env });
    // The second worker publishes that it begins.
    const events = await listen(api);
    await expect.poll(() => events.length, { interval: 10 }).toBeGreaterThan(0);
    expect(events[0]?.state).toBe('reading');
    await second.kill('SIGKILL');
    await startProcess('worker', { env: own.env });
    const failed = await waitFor(api, id, 'failed');
    expect(failed.problem?.code).toBe('too_complex');
    expect(await api.post<UserFile>(`/files/${id}/read`)).toMatchObject({ status: 202 });
    await waitFor(api, id, 'ready');
  });
});
