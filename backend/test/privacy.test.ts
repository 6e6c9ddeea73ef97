import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { type Entry, fromBuffer, type Options, type ZipFile } from 'yauzl';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { DataExport, DataExportAddress, DataExportResult } from '../src/contract/privacy.ts';
import { type PrivacyStatement, RETENTION_KINDS } from '../src/contract/privacy-statement.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { PASSWORD, visitor } from './visitor.ts';

let stack: Stack;
let database: Connection;

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'Owls hoot.' });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  return () => database.close();
});

/** A guest with a file and a conversation. */
async function owner() {
  const ada = await stack.guest();
  await ada.upload('lease.txt', 'The rent is 900 euros.');
  await ada.post('/personas', { name: 'Keeper' });
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const changes: DataExport[] = [];
  tab.socket.on('export:changed', (change) => changes.push(change));
  await ada.send(id, 'What do owls do?');
  await expect.poll(async () => (await ada.reply(id)).status).toBe('complete');
  return { ada, changes };
}

const request = (api: ApiClient) => api.post<DataExportResult>('/account/export');
const read = async (api: ApiClient) =>
  (await api.get<DataExportResult>('/account/export')).body.export;
const ready = async (api: ApiClient) => {
  await expect.poll(async () => (await read(api))?.state).toBe('ready');
  return read(api);
};
const address = (api: ApiClient) => api.post<DataExportAddress>('/account/export/address');
const download = async (api: ApiClient, headers: Record<string, string> = {}) =>
  fetch((await address(api)).body.url, { headers });

const open = promisify<Buffer, Options, ZipFile>(fromBuffer);

/** The names and texts of an archive. */
async function unzip(zip: Buffer): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const archive = await open(zip, { lazyEntries: true });
  const openStream = promisify<Entry, Readable>(archive.openReadStream.bind(archive));
  archive.readEntry();
  for await (const [entry] of on(archive, 'entry', { close: ['end'] }) as AsyncIterable<[Entry]>) {
    texts[entry.fileName] = await text(await openStream(entry));
    archive.readEntry();
  }
  return texts;
}

it('an archive has all data of a user, with progress pushed', async () => {
  const { ada, changes } = await owner();
  await ada.post('/memories/import', { memories: [{ kind: 'fact', text: 'Ada keeps owls.' }] });
  expect(await read(ada)).toBeNull();
  expect(await address(ada)).toMatchObject({ status: 404 });
  expect(await request(ada)).toMatchObject({ status: 202, body: { export: { state: 'queued' } } });
  const made = await ready(ada);
  const answer = await download(ada);
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="stolas-.*\.zip"$/,
  );
  const zip = Buffer.from(await answer.arrayBuffer());
  expect(made?.size).toBe(zip.length);
  const texts = await unzip(zip);
  const names = Object.keys(texts);
  expect(names).toEqual([
    'account.json',
    'usage.csv',
    'workspaces.json',
    'files/lease.txt',
    'personas/Keeper.json',
    'memories.json',
    'memory-history.json',
    expect.stringMatching(/^conversations\/.*\.md$/),
    expect.stringMatching(/^conversations\/.*\.json$/),
    'views.json',
    'feedback.json',
    'messages-elsewhere.json',
    'shares.json',
  ]);
  expect(texts['files/lease.txt']).toBe('The rent is 900 euros.');
  expect(JSON.parse(texts['personas/Keeper.json'] ?? '')).toMatchObject({ spec: 'chara_card_v3' });
  expect(JSON.parse(texts['account.json'] ?? '')).toMatchObject({
    sessions: [{ userAgent: expect.any(String), createdAt: expect.any(String) }],
  });
  expect(JSON.parse(texts['memories.json'] ?? '')).toMatchObject([{ text: 'Ada keeps owls.' }]);
  expect(JSON.parse(texts['memory-history.json'] ?? '')).toMatchObject([
    { op: 'import', before: null, after: { text: 'Ada keeps owls.' } },
  ]);
  expect(texts[names[7] ?? '']).toContain('Owls hoot.');
  expect(JSON.parse(texts[names[8] ?? ''] ?? '')).toMatchObject({ format: 'stolas.conversation' });
  expect(JSON.parse(texts['views.json'] ?? '')).toEqual([]);
  expect(JSON.parse(texts['feedback.json'] ?? '')).toEqual([]);
  expect(changes.map(({ state }) => state)).toContain('running');
  expect(changes.at(-1)).toMatchObject({ state: 'ready', progress: { total: names.length } });
});

it('an interrupted download is resumed', async () => {
  const { ada } = await owner();
  await request(ada);
  await ready(ada);
  const whole = Buffer.from(await (await download(ada)).arrayBuffer());
  const rest = await download(ada, { range: 'bytes=100-' });
  expect(rest.status).toBe(206);
  expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(100))).toBe(true);
});

it('several concurrent requests make one export, which another user cannot see', async () => {
  const { ada } = await owner();
  const answers = await Promise.all([request(ada), request(ada), request(ada)]);
  expect(new Set(answers.map(({ body }) => body.export?.id)).size).toBe(1);
  await ready(ada);
  const eve = await stack.guest();
  expect(await read(eve)).toBeNull();
  expect((await address(eve)).status).toBe(404);
  const { call } = visitor(stack.web.url);
  for (const [method, path] of [
    ['GET', '/account/export'],
    ['POST', '/account/export'],
    ['POST', '/account/export/address'],
  ] as const)
    expect((await call(method, path)).status).toBe(401);
});

it('an export is made and downloaded with the password only, which the session does not give', async () => {
  const { api } = await visitor(stack.web.url).member();
  const ask = (path: string, body?: object) =>
    api.post<ErrorBody & Partial<DataExportAddress>>(`/account/export${path}`, body);
  for (const path of ['', '/address'])
    for (const body of [undefined, {}, { currentPassword: 'not it' }]) {
      const { status, body: answer } = await ask(path, body);
      expect([path, status, answer.details?.field]).toEqual([path, 422, 'currentPassword']);
    }
  expect(await read(api)).toBeNull();
  const proof = { currentPassword: PASSWORD };
  expect((await ask('', proof)).status).toBe(202);
  await ready(api);
  // A finished export needs a proof again, so that a stolen session cannot download it.
  expect((await ask('/address')).status).toBe(422);
  const { url = '' } = (await ask('/address', proof)).body;
  expect((await fetch(url)).status).toBe(200);
});

it('an export whose worker was lost is made by another one', async () => {
  const { ada } = await owner();
  await request(ada);
  await ready(ada);
  const past = new Date(Date.now() - 10 * 60_000);
  const all = database.collection<{ state: string }>('data_exports');
  const { modifiedCount } = await all.updateOne(
    { exportId: (await read(ada))?.id },
    { $set: { state: 'running', heartbeatAt: past, dueAt: past }, $unset: { expiresAt: 1 } },
  );
  expect(modifiedCount).toBe(1);
  await stack.worker.kill();
  await stack.worker.restart();
  await expect.poll(async () => (await read(ada))?.state).toBe('ready');
});

it('the statement of recipients and retention is public', async () => {
  const { call } = visitor(stack.web.url);
  const { status, body } = await call<PrivacyStatement>('GET', '/privacy');
  expect(status).toBe(200);
  expect(body.retention.map(({ kind }) => kind).toSorted()).toEqual(
    [...RETENTION_KINDS].toSorted(),
  );
  expect(body.retention).toContainEqual({ kind: 'temporary', seconds: 86_400 });
  expect(body.recipients.find(({ kind }) => kind === 'model')).toMatchObject({ place: 'operator' });
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|localhost/);
});
