import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { AttachedFile, FileList, UploadTarget, UserFile } from '../src/contract/files.ts';
import type { SentMessage } from '../src/contract/messages.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const MB = 1024 * 1024;
let stack: Stack;
let database: Connection;

beforeAll(async () => {
  stack = await startStack();
  stack.provider
    .onMessage('Wait', { content: 'Owls hoot.' }, { streamingProfile: { ttft: 60_000 } })
    .onMessage(/.*/, { content: 'Owls hoot.' });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  return () => database.close();
});

const subscriber = (plan?: 'starter' | 'pro') => visitor(stack.web.url).subscriber(plan);

/** Uploads bytes with one signed URL, as a browser does. */
async function upload(api: ApiClient, bytes: Uint8Array, said: object = {}): Promise<string> {
  const { body, status } = await api.post<UploadTarget>('/objects/upload', {
    fileSize: bytes.length,
    ...said,
  });
  expect(status).toBe(200);
  const put = await fetch(body.uploadURL, { method: 'PUT', body: bytes, headers: body.headers });
  expect(put.status).toBe(200);
  return body.uploadURL;
}

const attach = <T = AttachedFile>(api: ApiClient, uploadURL: string, more: object = {}) =>
  api.post<T>('/objects/attach', {
    uploadURL,
    fileName: 'notes.txt',
    fileType: 'text/plain',
    ...more,
  });

const add = async (api: ApiClient, bytes: Uint8Array | string, more: object = {}) =>
  (await attach(api, await upload(api, Buffer.from(bytes)), more)).body;

const open = (api: ApiClient, path: string) =>
  fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${api.token}` },
    redirect: 'manual',
  });

const sendFiles = <T = SentMessage>(
  api: ApiClient,
  conversationId: string,
  files: object[],
  more: object = {},
) =>
  api.post<T>(`/conversations/${conversationId}/messages`, {
    content: 'Read this',
    files,
    ...more,
  });

const remove = (api: ApiClient, path: string) => api.call<ErrorBody>('DELETE', path);
const names = async (api: ApiClient, query = '') =>
  (await api.get<FileList>(`/files${query}`)).body.files.map(({ name }) => name);

describe('a file', () => {
  it('is uploaded, attached, listed and downloaded', async () => {
    const api = await subscriber();
    const text = `Owls hoot ${randomBytes(8).toString('hex')}`;
    const file = await add(api, text);
    expect(file).toMatchObject({ filename: 'notes.txt', mime: 'text/plain', bytes: text.length });
    const { body } = await api.get<FileList>('/files');
    expect(body).toMatchObject({
      files: [{ id: file.id, size: text.length }],
      next: null,
      storage: { used: text.length, limit: 1024 * MB },
    });
    const redirect = await open(api, file.objectPath);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('cache-control')).toBe('no-store');
    const got = await fetch(redirect.headers.get('location') ?? '');
    expect(await got.text()).toBe(text);
    expect(got.headers.get('content-disposition')).toMatch(/^inline; filename="notes.txt"/);
    const download = await open(api, `${file.objectPath}?download=true`);
    const saved = await fetch(download.headers.get('location') ?? '');
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  it('that is larger than declared is refused by its stored size', async () => {
    const api = await subscriber('pro');
    const address = await upload(api, Buffer.alloc(30 * MB), { purpose: 'library' });
    const { status, body } = await attach<ErrorBody>(api, address, { fileSize: 1 });
    expect([status, body.code]).toEqual([413, 'too_large']);
    expect(body.message).toContain('25 MB');
    expect((await attach<ErrorBody>(api, address)).body.code).toBe('upload_incomplete');
  });

  it('that could run a script is answered as inert bytes', async () => {
    const api = await subscriber();
    const script = '<script>alert(1)</script>';
    for (const [name, content] of [
      ['a.svg', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
      ['a.html', `<!doctype html>${script}`],
      ['a.png', `<!doctype html><title>x</title>${script}`],
      [
        'a.xhtml',
        `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
      ],
    ]) {
      const file = await add(api, content ?? '', { fileName: name, fileType: 'image/png' });
      const { headers } = await open(api, file.objectPath);
      const got = await fetch(headers.get('location') ?? '');
      expect(`${name} ${got.headers.get('content-type')}`).toBe(`${name} application/octet-stream`);
      expect(got.headers.get('content-disposition')).toMatch(/^attachment;/);
    }
  });

  it('with a hostile name is shown and downloaded under a harmless one', async () => {
    const api = await subscriber();
    const file = await add(api, randomBytes(20), { fileName: '../\u202egpj"\r\nX-Evil: 1; .exe' });
    expect(file.name).toBe('.._gpj"X-Evil: 1; .exe');
    const { headers } = await open(api, file.objectPath);
    const got = await fetch(headers.get('location') ?? '');
    expect(got.status).toBe(200);
    expect(got.headers.get('x-evil')).toBeNull();
    expect(got.headers.get('content-disposition')).toContain('filename=".._gpj_X-Evil: 1; .exe"');
  });

  it('of another user answers 404 in every call', async () => {
    const [api, stranger] = [await subscriber(), await subscriber()];
    const address = await upload(api, Buffer.from('mine'));
    const file = await add(api, 'Not yours');
    const talk = await stranger.conversation();
    const calls = [
      attach(stranger, address),
      attach(stranger, file.key),
      stranger.get(`/files/${file.id}`),
      remove(stranger, `/files/${file.id}`),
      sendFiles(stranger, talk, [{ id: file.id }]),
      sendFiles(stranger, talk, [{ objectPath: file.objectPath }]),
      sendFiles(stranger, talk, [{ key: file.key }]),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 404));
    expect(await names(stranger, `?ids=${file.id}`)).toEqual([]);
    expect(await names(api)).toEqual(['notes.txt']);
  });

  it('is found by a part of its name, page by page', async () => {
    const api = await subscriber();
    for (const fileName of ['Owls (1).txt', 'owls.txt', 'other.txt'])
      await add(api, randomBytes(9), { fileName });
    expect(await names(api, '?q=OWLS')).toEqual(['owls.txt', 'Owls (1).txt']);
    expect(await names(api, `?q=${encodeURIComponent('(1)')}`)).toEqual(['Owls (1).txt']);
    const id = (await api.get('/auth/user')).body as { id: string };
    const old = new Date('2026-01-01T00:00:00.000Z');
    const ownerId = database.base.Types.ObjectId.createFromHexString(id.id);
    await database.collection('files').insertMany(
      Array.from({ length: 60 }, (_, i) => ({
        ownerId,
        name: `f${i}`,
        type: 'text/plain',
        kind: 'text',
        size: 1,
        state: 'ready',
        sha256: `hash ${i}`,
        conversationIds: [],
        createdAt: old,
      })),
    );
    const broken = await api.get(`/files?cursor=2026-99-99T99:99:99.999Z-${id.id}`);
    expect(broken.status).toBe(422);
    const first = (await api.get<FileList>('/files')).body;
    expect(first.files).toHaveLength(50);
    const second = (await api.get<FileList>(`/files?cursor=${first.next}`)).body;
    expect(second.next).toBeNull();
    const ids = [...first.files, ...second.files].map((file) => file.id);
    expect(new Set(ids).size).toBe(63);
  });

  it('is deleted with its object, and the message keeps its name', async () => {
    const api = await subscriber();
    const file = await add(api, 'Soon gone');
    const talk = await api.conversation();
    await sendFiles(api, talk, [{ id: file.id }]);
    const address = (await open(api, file.objectPath)).headers.get('location') ?? '';
    expect((await remove(api, `/files/${file.id}`)).status).toBe(204);
    expect((await open(api, file.objectPath)).status).toBe(404);
    expect((await fetch(address)).status).toBe(404);
    expect((await remove(api, `/files/${file.id}`)).status).toBe(404);
    const [message] = await api.messages(talk);
    expect(message?.metadata?.files).toMatchObject([{ name: 'notes.txt', url: file.objectPath }]);
    expect((await api.get<FileList>('/files')).body.storage.used).toBe(0);
  });
});

describe('uploading', () => {
  it('needs a plan', async () => {
    const { api } = await visitor(stack.web.url).member();
    const { status, body } = await api.post<ErrorBody>('/objects/upload', { fileSize: 1 });
    expect([status, body.code]).toEqual([402, 'subscription_required']);
  });

  it('is limited for guests', async () => {
    const guest = await stack.guest();
    const tooLarge = { fileSize: 5 * MB + 1 };
    expect((await guest.post('/objects/upload', tooLarge)).status).toBe(413);
    const files = [await add(guest, 'one'), await add(guest, 'two')];
    const talk = await guest.conversation();
    const refused = await sendFiles<ErrorBody>(guest, talk, files);
    expect([refused.status, refused.body.message]).toEqual([422, 'You can only upload 1 file(s)']);
    expect((await sendFiles(guest, talk, files.slice(0, 1))).status).toBe(202);
  });
});

describe('a send with files', () => {
  it('stores them with the message, and the file names the conversation', async () => {
    const api = await subscriber();
    const file = await add(api, 'Owls hoot');
    const talk = await api.conversation();
    const clientMessageId = crypto.randomUUID();
    const sent = await sendFiles(api, talk, [{ id: file.id, name: 'My name' }], {
      clientMessageId,
    });
    const named = {
      id: file.id,
      name: 'My name',
      url: file.objectPath,
      objectPath: file.objectPath,
      type: 'text/plain',
      size: 9,
    };
    expect(sent.body.message.metadata).toEqual({ files: [named] });
    const again = await sendFiles(api, talk, [{ id: file.id }], { clientMessageId });
    expect(again.body.message).toEqual(sent.body.message);
    const { files } = (await api.get<FileList>(`/files?ids=${file.id}`)).body;
    expect(files.map(({ conversationIds }: UserFile) => conversationIds)).toEqual([[talk]]);
    await remove(api, `/files/${file.id}`);
    const repeated = await sendFiles(api, talk, [{ id: file.id }], { clientMessageId });
    expect([repeated.status, repeated.body.message.metadata]).toEqual([202, { files: [named] }]);
  });

  it('that a crash interrupts keeps them', async () => {
    const api = await subscriber();
    const file = await add(api, 'Owls');
    const talk = await api.conversation();
    const clientMessageId = crypto.randomUUID();
    const { body } = await sendFiles(api, talk, [{ id: file.id }], { clientMessageId });
    // The crash came after the reply was stored and before its message was.
    const { ObjectId } = database.base.Types;
    const messages = database.collection('messages');
    const { message, reply } = body;
    await expect.poll(async () => (await api.reply(talk)).status).toBe('complete');
    const stored = await messages.findOne({ _id: new ObjectId(message.id) });
    await messages.deleteOne({ _id: new ObjectId(message.id) });
    const outbox = { content: stored?.content, createdAt: stored?.createdAt, pathLength: 1 };
    await messages.updateOne(
      { _id: new ObjectId(reply.id) },
      {
        $set: {
          outbox: { message: { ...outbox, metadata: stored?.metadata } },
          status: 'queued',
          active: true,
        },
      },
    );
    const again = await sendFiles(api, talk, [{ id: file.id }], { clientMessageId });
    expect(again.body.message.metadata).toEqual(message.metadata);
    const restored = await messages.findOne({ _id: new ObjectId(message.id) });
    expect(restored?.metadata).toEqual(message.metadata);
  });
});

describe('a deleted conversation', () => {
  it.each([
    ['whose reply is written', 'Wait', 'streaming'],
    ['whose reply is complete', 'Hello', 'complete'],
  ])(
    '%s is gone everywhere at once, and comes back when it is restored',
    async (_, text, status) => {
      const [api, stranger] = [await subscriber(), await subscriber()];
      const talk = await api.conversation();
      const { reply } = (await api.send(talk, text)).body;
      await expect.poll(async () => (await api.reply(talk)).status).toBe(status);
      // The deletion also stops the reply; a busy worker stops it later.
      stack.worker.signal('SIGSTOP');
      onTestFinished(() => stack.worker.signal('SIGCONT'));
      expect((await remove(stranger, `/conversations/${talk}`)).status).toBe(404);
      expect((await remove(api, `/conversations/${talk}`)).status).toBe(204);
      const calls = [
        api.get(`/conversations/${talk}/messages`),
        api.patch(`/conversations/${talk}`, { title: 'New' }),
        api.send(talk, 'More'),
        api.get(`/replies/${reply.id}?attempt=0&offset=0`),
        api.post(`/replies/${reply.id}/regenerate`),
        remove(api, `/conversations/${talk}`),
        stranger.post(`/conversations/${talk}/restore`),
      ];
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 404));
      expect((await api.get<Conversation[]>('/conversations')).body).toEqual([]);
      const restored = await api.post<Conversation>(`/conversations/${talk}/restore`);
      expect(restored.body.id).toBe(talk);
      expect(await api.messages(talk)).toHaveLength(2);
      expect((await api.post(`/conversations/${talk}/restore`)).status).toBe(404);
    },
  );

  it('is erased with its messages and the files that nothing else uses', async () => {
    const api = await subscriber();
    const file = await add(api, 'Only here');
    const kept = await add(api, 'In the library', { purpose: 'library' });
    const talk = await api.conversation();
    await sendFiles(api, talk, [{ id: file.id }, { id: kept.id }]);
    await expect.poll(async () => (await api.reply(talk)).status).toBe('complete');
    await remove(api, `/conversations/${talk}`);
    const conversations = database.collection('conversations');
    const _id = database.base.Types.ObjectId.createFromHexString(talk);
    await conversations.updateOne({ _id }, { $set: { deletedAt: new Date(Date.now() - 61_000) } });
    expect((await api.post(`/conversations/${talk}/restore`)).status).toBe(404);
    await expect.poll(() => conversations.findOne({ _id })).toBeNull();
    expect(await database.collection('messages').countDocuments({ conversationId: _id })).toBe(0);
    const { files } = (await api.get<FileList>('/files')).body;
    expect(files).toMatchObject([{ id: kept.id, conversationIds: [] }]);
    expect((await open(api, file.objectPath)).status).toBe(404);
  });
});
