import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { FileList } from '../src/contract/files.ts';
import type {
  CreatedShare,
  CreateShareBody,
  Share,
  SharedPage,
  WorkspaceShare,
} from '../src/contract/shares.ts';
import type { Workspace } from '../src/contract/workspaces.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { routes } from './hostile.ts';
import { startProcess, type TestProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const SOURCES = path.join(import.meta.dirname, '../src/features/shares');
const YEAR_MS = 366 * 24 * 3_600_000;
const BYTES = 'The owl of the lease.';

let stack: Stack;
/** Another web process, with limits. */
let limited: TestProcess;
let database: Connection;
let ada: ApiClient;
let ben: ApiClient;
let guest: ApiClient;
let conversationId: string;
let replyId: string;
let workspaceId: string;
let benId: string;

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'They hoot.' });
  const env = { ...stack.env, PORT: String(await freePort()), RATE_LIMITS: 'true' };
  limited = await startProcess('web', { env });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  const us = visitor(stack.web.url);
  ada = await us.subscriber('pro');
  ben = await us.subscriber();
  guest = await us.guest();
  conversationId = await ada.conversation();
  await ada.send(conversationId, 'What do owls do?');
  await ended(conversationId);
  replyId = (await ada.reply(conversationId)).id;
  workspaceId = (await ada.post<{ id: string }>('/workspaces', { name: 'Owls' })).body.id;
  benId = (await ben.get<{ id: string }>('/auth/user')).body.id;
});
afterAll(() => database.close());

/** Waits until the last reply is complete. */
async function ended(id: string): Promise<void> {
  while ((await ada.reply(id)).status !== 'complete') await sleep(50);
}

const share = async (body: Partial<CreateShareBody> = {}, api = ada): Promise<CreatedShare> => {
  const made = await api.post<CreatedShare>('/shares', { conversationId, ...body });
  expect(made.status).toBe(201);
  return made.body;
};
/** Opens a link without a session. */
const open = (id: string, url = stack.web.url) =>
  visitor(url).call<SharedPage & ErrorBody>('GET', `/shares/${id}`);

const oid = (id: string) => Types.ObjectId.createFromHexString(id);
const INCLUDE = { files: false, names: false, reasoning: false };
const UNKNOWN = 'A'.repeat(22);
const CLIENT = '5f0c0a6e-7d0b-4f4b-9d57-0c6f4a6f2b11';

interface Door {
  body?: (id: string) => Promise<object> | object;
  /** Without a session, for a guest, for another user, for the owner. */
  statuses: [number, number, number, number];
}

const revisionOf = async (id: string) => (await open(id)).body.revision;

/** Every call, on a link of Ada for anyone. */
const DOORS: Record<string, Door> = {
  'GET /shares': { statuses: [401, 200, 200, 200] },
  'GET /conversations/:id/shares': { statuses: [401, 404, 404, 200] },
  'POST /shares': { body: () => ({ conversationId }), statuses: [401, 403, 404, 201] },
  'POST /shares/preview': {
    body: () => ({ conversationId, include: INCLUDE }),
    statuses: [401, 403, 404, 200],
  },
  'GET /shares/:id': { statuses: [200, 200, 200, 200] },
  // The link shows no file.
  'GET /shares/:id/files/:ref': { statuses: [404, 404, 404, 404] },
  'POST /shares/:id/continue': {
    body: async (id) => ({ revision: await revisionOf(id), clientConversationId: CLIENT }),
    statuses: [401, 403, 201, 201],
  },
  'DELETE /shares/:id': { statuses: [401, 404, 404, 204] },
  'DELETE /shares': { statuses: [401, 204, 204, 204] },
};

/** The calls of admins, in a workspace of Ada: they are shut for all others. */
const ADMIN_DOORS: Record<string, { body?: object; status: number }> = {
  'GET /workspaces/:id/shares': { status: 200 },
  'DELETE /workspaces/:id/shares/:shareId': { status: 204 },
  'PUT /workspaces/:id/links': { body: { allowed: true }, status: 204 },
};

const ACTORS = ['nobody', 'a guest', 'another user', 'the owner'] as const;
const apiOf = (actor: (typeof ACTORS)[number]): ApiClient =>
  ({ nobody: stack.api('wrong'), 'a guest': guest, 'another user': ben, 'the owner': ada })[actor];

describe('the doors of links', () => {
  it('have an entry for every route', () => {
    const declared = routes(SOURCES).map(({ method, path: route }) => `${method} ${route}`);
    const entries = [...Object.keys(DOORS), ...Object.keys(ADMIN_DOORS)];
    expect(entries.toSorted()).toEqual(declared.toSorted());
  });

  it.each(
    Object.entries(DOORS).flatMap(([route, door]) =>
      ACTORS.map((actor, at) => ({ route, actor, door, status: door.statuses[at] })),
    ),
  )('$route as $actor answers $status', async ({ route, actor, door, status }) => {
    const { id } = await share();
    const [method = '', address = ''] = route.split(' ');
    const named = address.startsWith('/conversations') ? conversationId : id;
    const url = address.replace(':id', named).replace(':ref', UNKNOWN);
    const body = await door.body?.(id);
    expect((await apiOf(actor).call(method, url, body)).status).toBe(status);
    // Only the owner ends it.
    const isEnded = method === 'DELETE' && actor === 'the owner';
    expect((await open(id)).status).toBe(isEnded ? 410 : 200);
  });

  it.each(ACTORS)('of a link for members stay shut for %s, except its owner', async (actor) => {
    const { id } = await share({ audience: 'workspace', workspaceId });
    const statuses = { nobody: 401, 'a guest': 403, 'another user': 404, 'the owner': 200 };
    expect((await apiOf(actor).get(`/shares/${id}`)).status).toBe(statuses[actor]);
  });

  it.each(
    Object.entries(ADMIN_DOORS).flatMap(([route, door]) =>
      ACTORS.map((actor) => ({ route, actor, door })),
    ),
  )('$route as $actor', async ({ route, actor, door }) => {
    const { id } = await share({ audience: 'workspace', workspaceId });
    const [method = '', address = ''] = route.split(' ');
    const url = address.replace(':id', workspaceId).replace(':shareId', id);
    const { status } = await apiOf(actor).call(method, url, door.body);
    const refused = actor === 'nobody' ? 401 : 404;
    expect(status).toBe(actor === 'the owner' ? door.status : refused);
  });
});

describe('the links of a workspace', () => {
  const roleOf = (role: string) =>
    database
      .collection('memberships')
      .updateOne(
        { workspaceId: oid(workspaceId), userId: oid(benId) },
        { $set: { role, joinedAt: new Date() } },
        { upsert: true },
      );
  const revoke = (id: string, api = ben) =>
    api.call('DELETE', `/workspaces/${workspaceId}/shares/${id}`);

  it('are seen and ended by admins, who reach no other link', async () => {
    const { id } = await share({ audience: 'workspace', workspaceId });
    const elsewhere = await share();
    await roleOf('member');
    expect((await ben.get(`/shares/${id}`)).status).toBe(200);
    expect((await ben.get(`/workspaces/${workspaceId}/shares`)).status).toBe(403);
    expect((await revoke(id)).status).toBe(403);
    await roleOf('admin');
    const { body } = await ben.get<WorkspaceShare[]>(`/workspaces/${workspaceId}/shares`);
    expect(body.map((one) => one.id)).toContain(id);
    expect(body.map((one) => one.id)).not.toContain(elsewhere.id);
    expect((await revoke(elsewhere.id)).status).toBe(404);
    expect((await revoke(id)).status).toBe(204);
    expect((await ada.get(`/shares/${id}`)).status).toBe(410);
    expect((await open(elsewhere.id)).status).toBe(200);
  });

  it('do not open, and none is made, while admins forbid them', async () => {
    const { id } = await share({ audience: 'workspace', workspaceId });
    const allow = (allowed: boolean) =>
      ada.call('PUT', `/workspaces/${workspaceId}/links`, { allowed });
    await allow(false);
    expect((await ada.get(`/shares/${id}`)).status).toBe(410);
    const body = { conversationId, audience: 'workspace', workspaceId };
    expect((await ada.post('/shares', body)).status).toBe(403);
    expect((await ada.get<Workspace[]>('/workspaces')).body[0]?.allowLinks).toBe(false);
    await allow(true);
    expect((await ada.get(`/shares/${id}`)).status).toBe(200);
  });
});

describe('bad input', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();

  it.each([
    ['an unknown audience', { audience: 'root' }],
    ['an unknown kind', { kind: 'all' }],
    ['an owner', { ownerId: 'a'.repeat(24) }],
    ['an end in the past', { expiresAt: new Date(0).toISOString() }],
    ['an end beyond a year', { expiresAt: new Date(Date.now() + YEAR_MS).toISOString() }],
    ['an end that is no time', { expiresAt: 'never' }],
    ['a workspace for anyone', { workspaceId: 'a'.repeat(24) }],
    ['members of no workspace', { audience: 'workspace' }],
    ['a conversation and a reply', { replyId: 'a'.repeat(24) }],
    ['neither', { conversationId: undefined }],
    ['an operator', { conversationId: { $ne: null } }],
    ['an unknown part', { include: { memories: true } }],
    ['a part that is no choice', { include: { files: 'all' } }],
  ])('%s is refused', async (_what, body) => {
    const { status } = await ada.post('/shares', { conversationId, expiresAt: soon(), ...body });
    expect(status).toBe(422);
  });

  it('of a workspace of others, or of nothing, answers 404', async () => {
    const body = { conversationId, audience: 'workspace', workspaceId: 'a'.repeat(24) };
    expect((await ada.post('/shares', body)).status).toBe(404);
    for (const target of [{ conversationId: 'a'.repeat(24) }, { replyId: 'a'.repeat(24) }])
      expect((await ada.post('/shares', target)).status).toBe(404);
  });

  it('of 10 MB is refused unread', async () => {
    const body = { conversationId, revision: 'x'.repeat(10 * 1024 * 1024) };
    expect((await ada.post('/shares', body)).status).toBe(413);
  });

  it.each(['x', UNKNOWN, 'a'.repeat(24), '%2e%2e', `${UNKNOWN}'`])(
    'the id %s answers 404',
    async (id) => {
      expect((await open(id)).status).toBe(404);
    },
  );
});

it('limits how many ids an IP address can try', async () => {
  const statuses = new Set<number>();
  const guess = async () => {
    while (!statuses.has(429)) statuses.add((await open(UNKNOWN, limited.url)).status);
  };
  // Several at a time: one after the other, a busy machine answers fewer in a minute than are allowed.
  await Promise.all(Array.from({ length: 10 }, guess));
  expect(statuses).toEqual(new Set([404, 429]));
});

it('ends in every web process at once, and says so', async () => {
  const { id } = await share();
  const other = await startProcess('web', {
    env: { ...stack.env, PORT: String(await freePort()) },
  });
  expect((await open(id, other.url)).status).toBe(200);
  expect((await ada.call('DELETE', `/shares/${id}`)).status).toBe(204);
  for (const { url } of [stack.web, other]) {
    const { status, body } = await open(id, url);
    expect([status, body]).toEqual([410, { code: 'gone', message: 'This link no longer works.' }]);
  }
});

it('is neither stored by caches nor listed, and answers 304 while nothing changes', async () => {
  const { id } = await share();
  const { headers } = await open(id);
  expect([headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual([
    'no-store',
    'noindex',
  ]);
  const etag = headers.get('etag') ?? '';
  const known = { headers: { 'if-none-match': etag } };
  const again = await visitor(stack.web.url).call('GET', `/shares/${id}`, known);
  expect([again.status, again.body]).toEqual([304, undefined]);
});

describe('what an answer contains', () => {
  /** Every text and number of the database about Ada, her files, memories and replies. */
  it('is nothing of memories, personas, costs, models, feedback, settings, files and ids', async () => {
    const file = await upload();
    await ada.post('/memories/import', {
      memories: [{ kind: 'fact', text: 'SECRET: Ada keeps owls.' }],
    });
    const persona = await ada.post<{ id: string }>('/personas', {
      name: 'SECRET-Keeper',
      instructions: 'SECRET: speak of owls.',
    });
    const id = await ada.conversation();
    await ada.post(`/conversations/${id}/messages`, {
      content: 'What do owls do?',
      files: [{ id: file }],
      personaId: persona.body.id,
    });
    await ended(id);
    const reply = await ada.reply(id);
    await ada.call('PUT', `/replies/${reply.id}/feedback`, { rating: 'bad', reason: 'SECRET-bad' });
    const made = await share({ conversationId: id });
    const live = await share({ conversationId: id, kind: 'live' });
    const user = (await ada.get<{ id: string; email: string }>('/auth/user')).body;
    const hidden = [
      id,
      reply.id,
      user.id,
      user.email,
      file,
      persona.body.id,
      'SECRET',
      'secret.txt',
    ];
    for (const link of [made, live]) {
      const { status, body } = await open(link.id);
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      for (const one of hidden) expect(text).not.toContain(one);
      expect(text).not.toMatch(/token|model|memory|feedback|persona|objectPath|users\//i);
      expect(body.messages.map(({ parts }) => parts[0]?.text)).toEqual([
        'What do owls do?',
        'They hoot.',
      ]);
    }
  });

  it('has files when they are included, as downloads that cannot run, until the link ends', async () => {
    const file = await upload();
    const id = await ada.conversation();
    await ada.post(`/conversations/${id}/messages`, { content: 'Look', files: [{ id: file }] });
    await ended(id);
    const { id: link } = await share({ conversationId: id, include: { files: true } });
    const shown = (await open(link)).body.messages[0]?.files?.[0];
    expect(shown).toMatchObject({ name: 'secret.txt' });
    const address = `/shares/${link}/files/${shown?.ref}`;
    const { status, body, headers } = await visitor(stack.web.url).call<string>('GET', address);
    expect([status, body]).toEqual([200, BYTES]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^sandbox;/);
    expect(headers.get('cache-control')).toBe('no-store');
    const download = await visitor(stack.web.url).call('GET', `${address}?download=true`);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment/);
    const other = await share({ conversationId });
    const elsewhere = `/shares/${other.id}/files/${shown?.ref}`;
    expect((await visitor(stack.web.url).call('GET', elsewhere)).status).toBe(404);
    await ada.call('DELETE', `/shares/${link}`);
    expect((await visitor(stack.web.url).call('GET', address)).status).toBe(410);
  });
});

it('shows openings to its owner, and the title of the conversation', async () => {
  const { id } = await share();
  await open(id);
  const listed = async () => (await ada.get<Share[]>('/shares')).body.find((one) => one.id === id);
  await expect.poll(async () => (await listed())?.openings).toBe(1);
  expect(await listed()).toMatchObject({ title: 'A talk', of: 'conversation' });
  const reply = await ada.post<CreatedShare>('/shares', { replyId });
  expect(reply.status).toBe(201);
});

it('continues in the account of a reader', async () => {
  const { id } = await share();
  const { revision } = (await open(id)).body;
  const body = { revision, clientConversationId: crypto.randomUUID() };
  const copied = await ben.post<Conversation>(`/shares/${id}/continue`, body);
  expect([copied.status, copied.body.title]).toEqual([201, 'A talk']);
  expect((await ben.messages(copied.body.id)).map(({ content }) => content)).toEqual([
    'What do owls do?',
    'They hoot.',
  ]);
  const old = await ben.post(`/shares/${id}/continue`, { ...body, revision: 'old' });
  expect(old.status).toBe(409);
});

it('continues with copies of the files that it includes, which stay when the link ends', async () => {
  const file = await upload();
  const id = await ada.conversation();
  await ada.post(`/conversations/${id}/messages`, { content: 'Look', files: [{ id: file }] });
  await ended(id);
  const link = await share({ conversationId: id, include: { files: true } });
  const { revision } = (await open(link.id)).body;
  const body = { revision, clientConversationId: crypto.randomUUID() };
  const copy = async () => {
    const { body: made } = await ben.post<Conversation>(`/shares/${link.id}/continue`, body);
    const [message] = await ben.messages(made.id);
    return { id: made.id, files: message?.metadata?.files ?? [] };
  };
  const copied = await copy();
  // A repeated call copies nothing again.
  expect(await copy()).toEqual(copied);
  const [own] = copied.files;
  expect(own).toMatchObject({ name: 'secret.txt', type: 'text/plain', size: BYTES.length });
  expect(own?.id).not.toBe(file);
  await ada.call('DELETE', `/shares/${link.id}`);
  await ada.call('DELETE', `/files/${file}`);
  const [listed] = (await ben.get<FileList>('/files')).body.files;
  expect(listed).toMatchObject({ id: own?.id, conversationIds: [copied.id] });
  const content = await fetch(`${ben.url}/api/files/${own?.id}`, {
    headers: { authorization: `Bearer ${ben.token}` },
  });
  expect(await content.text()).toBe(BYTES);
});

it('is erased with the account', async () => {
  const us = visitor(stack.web.url);
  const { api } = await us.member();
  const carl = (await api.get<{ id: string }>('/auth/user')).body.id;
  const links = database.collection<{ _id: string }>('shares');
  const { id } = await share();
  await links.updateOne({ _id: id }, { $set: { ownerId: oid(carl) } });
  await api.call('DELETE', '/auth/user', { currentPassword: 'a long enough password' });
  await expect.poll(() => links.countDocuments({ _id: id })).toBe(0);
  expect((await open(id)).status).toBe(404);
});

const upload = async () => (await ada.upload('secret.txt', BYTES)).file.id;
