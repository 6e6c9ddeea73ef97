import path from 'node:path';
import { type Connection, Types } from 'mongoose';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantBody, RecordGrants } from '../src/contract/access.ts';
import type { Conversation, SearchPage } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { FileList } from '../src/contract/files.ts';
import type { Message, Reply, SentMessage } from '../src/contract/messages.ts';
import type { ReplyResult } from '../src/contract/replies.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { routes } from './hostile.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const SOURCES = path.join(import.meta.dirname, '../src/features');
const ACTORS = [
  'none',
  'foreign',
  'former',
  'viewer',
  'member',
  'editor',
  'manager',
  'owner',
] as const;
type ActorName = (typeof ACTORS)[number];

let stack: Stack;
let database: Connection;
const users = {} as Record<ActorName, { api: ApiClient; id: string }>;
const oid = (id: string) => Types.ObjectId.createFromHexString(id);
const newId = () => new Types.ObjectId().toHexString();

const WORKSPACE = 'a'.repeat(24);
let conversationId = '';
let replyId = '';
let fileId = '';

beforeAll(async () => {
  stack = await startStack({ SEATS_PRO: '9' });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  stack.provider
    .onMessage('hang', { content: longText(300) }, { streamingProfile: { ttft: 60_000 } })
    .onMessage('slowly', { content: longText(2_000) }, { streamingProfile: { ttft: 10, tps: 20 } })
    .onMessage('steadily', { content: longText(6_000) }, { streamingProfile: { tps: 20 } })
    .onMessage(/.*/, { content: 'An answer about owls.' });
  const us = visitor(stack.web.url);
  users.none = { api: us.as('wrong'), id: '' };
  for (const name of ACTORS.slice(1)) {
    const { api } = await us.member();
    const { id } = (await api.get<{ id: string }>('/auth/user')).body;
    users[name] = { api, id };
    const plan = name === 'owner' ? 'pro' : 'starter';
    await database
      .collection('subscriptions')
      .insertOne({ ownerId: oid(id), plan, status: 'active', startedAt: new Date() });
  }
});
afterAll(() => database.close());

const put = (by: ActorName, grants: object, id = conversationId) =>
  users[by].api.call<RecordGrants & ErrorBody>('PUT', `/conversations/${id}/grants`, { grants });

const GRANTS = (): GrantBody[] => [
  { userId: users.editor.id, role: 'editor' },
  { workspaceId: WORKSPACE, role: 'editor' },
];

/** A workspace with all but the foreign and the former user, and a conversation with a reply and a file that is shared with them. */
beforeEach(async () => {
  await Promise.all(
    ['memberships', 'workspaces'].map((name) => database.collection(name).deleteMany({})),
  );
  const createdAt = new Date();
  const owner = { ownerId: oid(users.owner.id), createdAt };
  await database
    .collection('workspaces')
    .insertOne({ ...owner, _id: oid(WORKSPACE), name: 'Owls', seats: [], taken: 0 });
  await database
    .collection('memberships')
    .insertMany(
      (['owner', 'viewer', 'member', 'editor', 'manager'] as const).map((name) => join(name)),
    );
  await renew();
});

const join = (name: ActorName) => ({
  workspaceId: oid(WORKSPACE),
  userId: oid(users[name].id),
  role: name === 'owner' ? 'admin' : name === 'viewer' ? 'viewer' : 'member',
  joinedAt: new Date(),
});

/** Another workspace. */
async function insertHawks(
  members: readonly ActorName[],
  owner: ActorName = 'foreign',
): Promise<string> {
  const id = newId();
  const hawks = { _id: oid(id), name: 'Hawks', ownerId: oid(users[owner].id) };
  await database
    .collection('workspaces')
    .insertOne({ ...hawks, seats: [], taken: 0, createdAt: new Date() });
  await database
    .collection('memberships')
    .insertMany(members.map((name) => ({ ...join(name), workspaceId: oid(id) })));
  return id;
}

/** The conversation as it was at first. */
async function renew() {
  await Promise.all(
    ['conversations', 'messages', 'files', 'searchentries'].map((name) =>
      database.collection(name).deleteMany({}),
    ),
  );
  conversationId = newId();
  const createdAt = new Date();
  await database.collection('conversations').insertOne({
    _id: oid(conversationId),
    ownerId: oid(users.owner.id),
    title: 'A talk',
    createdAt,
    updatedAt: createdAt,
    grants: [
      { principal: `user:${users.editor.id}`, role: 'editor' },
      { principal: `user:${users.manager.id}`, role: 'manager' },
      { principal: `workspace:${WORKSPACE}`, role: 'editor' },
    ],
  });
  await insertMessages();
}

async function insertMessages() {
  const messageId = newId();
  replyId = newId();
  fileId = newId();
  const common = { conversationId: oid(conversationId), ownerId: oid(users.owner.id) };
  const createdAt = new Date();
  await database.collection('messages').insertMany([
    {
      ...common,
      _id: oid(messageId),
      role: 'user',
      content: 'Tell me',
      createdAt,
      depth: 0,
      pathLength: 7,
    },
    {
      ...common,
      _id: oid(replyId),
      role: 'assistant',
      content: 'Owls hunt',
      createdAt: new Date(createdAt.getTime() + 1),
      parentId: oid(messageId),
      depth: 1,
      pathLength: 16,
      status: 'complete',
      ending: 'length',
      attempt: 1,
      feedback: { rating: 'good' },
      metadata: { memoryReceipt: { mode: 'on', read: [], written: [], refused: [] } },
      unindexed: 1,
    },
  ]);
  await database
    .collection('conversations')
    .updateOne({ _id: oid(conversationId) }, { $set: { activeLeafId: oid(replyId) } });
  await database.collection('files').insertOne({
    _id: oid(fileId),
    ownerId: oid(users.owner.id),
    name: 'owls.txt',
    type: 'text/plain',
    kind: 'text',
    size: 1,
    sha256: fileId,
    state: 'waiting',
    conversationIds: [oid(conversationId)],
    createdAt,
  });
}

type Needed = 'viewer' | 'editor' | 'manager' | 'owner';
interface Door {
  body?: () => object;
  query?: string;
  needed: Needed;
  status: number;
}

const DOORS: Record<string, Door> = {
  'PATCH /conversations/:id': { body: () => ({ title: 'Hawks' }), needed: 'manager', status: 200 },
  'DELETE /conversations/:id': { needed: 'manager', status: 204 },
  'PUT /conversations/:id/read': { needed: 'viewer', status: 204 },
  'GET /conversations/:id/people': { needed: 'editor', status: 200 },
  'GET /conversations/:id/grants': { needed: 'manager', status: 200 },
  'PUT /conversations/:id/grants': {
    body: () => ({ grants: [{ userId: users.editor.id, role: 'viewer' }] }),
    needed: 'manager',
    status: 200,
  },
  'GET /conversations/:id/messages': { needed: 'viewer', status: 200 },
  'GET /conversations/:id/payer': { needed: 'editor', status: 200 },
  'POST /conversations/:id/messages': {
    body: () => ({ content: 'And bats?' }),
    needed: 'editor',
    status: 202,
  },
  'GET /conversations/:id/export': { query: '?format=json', needed: 'viewer', status: 200 },
  'GET /replies/:id': { needed: 'viewer', status: 200 },
  'GET /replies/:id/usage': { needed: 'viewer', status: 200 },
  'POST /replies/:id/regenerate': { body: () => ({}), needed: 'editor', status: 202 },
  'POST /replies/:id/stop': { needed: 'editor', status: 202 },
  'POST /replies/:id/continue': { needed: 'editor', status: 202 },
  'POST /replies/:id/check': { needed: 'editor', status: 202 },
  'PUT /replies/:id/feedback': { body: () => ({ rating: 'bad' }), needed: 'viewer', status: 200 },
  // The file is still waiting to be read.
  'GET /files/:id/pages/:n': { needed: 'viewer', status: 409 },
  'GET /files/:id/pages/:n/marks': { query: '?start=0&end=1', needed: 'viewer', status: 409 },
  'POST /files/:id/read': { needed: 'owner', status: 202 },
  'DELETE /files/:id': { needed: 'owner', status: 204 },
};

/** The routes of the chat that name no record, and where they are tested. */
const OTHERS = [
  'GET /conversations', // here, 'lists and search'
  'POST /conversations', // names no record; its `summaryOf` below
  'POST /conversations/estimate',
  'POST /conversations/import',
  'POST /conversations/:id/restore', // here
  'GET /search', // here
  'GET /depths',
];

const RANKS = ['viewer', 'editor', 'manager', 'owner'];
const ROLES: Partial<Record<ActorName, Needed>> = {
  viewer: 'viewer',
  member: 'editor',
  editor: 'editor',
  manager: 'manager',
  owner: 'owner',
};

function expectedOf({ needed, status }: Door, actor: ActorName, route: string) {
  const role = ROLES[actor];
  if (actor === 'none') return { status: 401 };
  if (!role) return { status: 404 };
  if (RANKS.indexOf(role) >= RANKS.indexOf(needed)) return { status };
  // Files are shared to be read only.
  if (route.includes('/files/')) return { status: 404 };
  return { status: 403, role: needed };
}

const call = async (
  actor: ActorName,
  route: string,
  { body, query = '' }: Pick<Door, 'body' | 'query'> = {},
) => {
  const [method = '', address = ''] = route.split(' ');
  const id = address.startsWith('/conversations')
    ? conversationId
    : address.startsWith('/files')
      ? fileId
      : replyId;
  const url = address.replace(':id', id).replace(':n', '1') + query;
  const answer = await users[actor].api.call<ErrorBody | undefined>(method, url, body?.());
  const role = answer.body?.details?.role as string | undefined;
  return { status: answer.status, ...(role && { role }) };
};

describe('the doors of a shared conversation', () => {
  it('have an entry for every route of the chat', () => {
    const declared = routes(path.join(SOURCES, 'chat')).map(
      ({ method, path: route }) => `${method} ${route}`,
    );
    const known = new Set([...Object.keys(DOORS), ...OTHERS]);
    expect(declared.filter((route) => !known.has(route))).toEqual([]);
  });

  it.each(Object.entries(DOORS))('%s', async (route, door) => {
    for (const actor of ACTORS) {
      expect([actor, await call(actor, route, door)]).toEqual([
        actor,
        expectedOf(door, actor, route),
      ]);
      // What was allowed has changed it.
      if (ROLES[actor]) await renew();
    }
  });

  it('close for all when it is private again', async () => {
    expect((await put('owner', [])).status).toBe(200);
    for (const [route, door] of Object.entries(DOORS))
      for (const actor of ['member', 'editor', 'manager'] as const)
        expect([route, await call(actor, route, door)]).toEqual([route, { status: 404 }]);
  });

  it('let an editor change the settings of the next replies, a viewer see another branch, and nobody but the owner change the memory', async () => {
    const patch = async (by: ActorName, body: object) =>
      (await users[by].api.patch(`/conversations/${conversationId}`, body)).status;
    expect(await patch('editor', { depth: 'fast', activeLeafId: replyId })).toBe(200);
    expect(await patch('viewer', { depth: 'fast' })).toBe(403);
    expect(await patch('viewer', { activeLeafId: replyId })).toBe(200);
    expect(await patch('manager', { memory: 'off' })).toBe(403);
    expect(await patch('owner', { memory: 'off' })).toBe(200);
  });

  it('let a manager restore what a manager has deleted, and nobody with less', async () => {
    const url = `/conversations/${conversationId}`;
    expect((await users.manager.api.call('DELETE', url)).status).toBe(204);
    expect((await users.owner.api.get(`${url}/messages`)).status).toBe(404);
    for (const [by, status] of [
      ['foreign', 404],
      ['former', 404],
      ['editor', 403],
      ['manager', 200],
    ] as const)
      expect([by, (await users[by].api.post(`${url}/restore`)).status]).toEqual([by, status]);
  });

  it('are watched by sockets of those who have a role', async () => {
    for (const actor of ACTORS.slice(1)) {
      const tab = await users[actor].api.tab(await users[actor].api.conversation());
      const answer = await tab.socket.emitWithAck('watch', { conversationId });
      expect([actor, answer]).toEqual([actor, ROLES[actor] ? {} : { error: 'not_found' }]);
      tab.close();
    }
  });

  it('give an editor no file of the owner, no persona of the owner, and no summary of what is shared', async () => {
    const url = `/conversations/${conversationId}/messages`;
    const { api } = users.editor;
    expect((await api.post(url, { content: 'x', files: [{ id: fileId }] })).status).toBe(403);
    expect((await api.post(url, { content: 'x', personaId: newId() })).status).toBe(404);
    const message = { content: 'x', summaryOf: conversationId };
    expect((await api.post('/conversations', { title: 'x', message })).status).toBe(404);
  });
});

describe('the record of a file that only a conversation shares', () => {
  const listed = async (by: ActorName) =>
    (await users[by].api.get<FileList>(`/files?ids=${fileId}`)).body.files;

  it('is read by readers of the conversation, without where else it is used, and by nobody else', async () => {
    for (const actor of ACTORS.slice(1)) {
      const names = (await listed(actor)).map(({ name }) => name);
      expect([actor, names]).toEqual([actor, ROLES[actor] ? ['owls.txt'] : []]);
    }
    expect((await listed('owner'))[0]).not.toHaveProperty('isReadOnly');
    expect((await listed('viewer'))[0]).toMatchObject({ isReadOnly: true, conversationIds: [] });
    expect((await put('owner', [])).status).toBe(200);
    expect(await listed('viewer')).toEqual([]);
  });

  it('is in no list of the readers', async () => {
    expect((await users.viewer.api.get<FileList>('/files')).body.files).toEqual([]);
  });
});

describe('pictures of a file that only a conversation shares', () => {
  it.each([
    ['thumbnail', '/thumbnail'],
    ['picture of a page', '/pages/1/picture?width=400'],
  ])(
    'the %s opens for readers, and for nobody else, also by a known ETag',
    async (_what, picture) => {
      const owl = { width: 8, height: 8, channels: 3, background: 'red' } as const;
      const png = await sharp({ create: owl }).png().toBuffer();
      const { file } = await users.owner.api.upload('owl.png', png);
      const files = database.collection('files');
      const stored = () => files.findOne({ _id: oid(file.id) });
      await expect.poll(async () => (await stored())?.['hasThumbnail']).toBe(true);
      await files.updateOne(
        { _id: oid(file.id) },
        { $set: { conversationIds: [oid(conversationId)] } },
      );
      const guest = await visitor(stack.web.url).guest();
      const ask = async (api: ApiClient, known = '') =>
        fetch(`${api.url}/api/files/${file.id}${picture}`, {
          headers: { authorization: `Bearer ${api.token}`, 'if-none-match': known },
        });
      const seen = await ask(users.owner.api);
      const etag = seen.headers.get('etag') ?? '';
      expect([seen.status, seen.headers.get('cache-control')]).toEqual([
        200,
        'private, max-age=3600, immutable',
      ]);
      for (const known of ['', etag]) {
        for (const actor of ACTORS.slice(1)) {
          const allowed = known ? 304 : 200;
          const { status } = await ask(users[actor].api, known);
          expect([actor, status]).toEqual([actor, ROLES[actor] ? allowed : 404]);
        }
        expect((await ask(users.none.api, known)).status).toBe(401);
        expect((await ask(guest, known)).status).toBe(404);
      }
      expect((await put('owner', [])).status).toBe(200);
      for (const known of ['', etag])
        for (const actor of ['viewer', 'member', 'editor', 'manager'] as const)
          expect([actor, (await ask(users[actor].api, known)).status]).toEqual([actor, 404]);
    },
  );
});

describe('grants', () => {
  it.each([
    [422, () => [{ userId: users.member.id, role: 'root' }]],
    [422, () => [{ userId: users.member.id, role: 'owner' }]],
    [422, () => [{ userId: users.member.id, role: 'viewer', ownerId: users.member.id }]],
    [422, () => [{ userId: users.owner.id, role: 'viewer' }]],
    [422, () => [{ userId: users.foreign.id, role: 'viewer' }]],
    [422, () => [{ userId: newId(), role: 'viewer' }]],
    [422, () => [{ userId: { $ne: null }, role: 'viewer' }]],
    [422, () => [1, 2].map(() => ({ userId: users.member.id, role: 'viewer' }))],
    [422, () => Array.from({ length: 51 }, () => ({ userId: newId(), role: 'viewer' }))],
    [404, () => [{ workspaceId: newId(), role: 'viewer' }]],
  ] as const)('are refused with %i', async (status, grants) => {
    for (const by of ['owner', 'manager'] as const)
      expect((await put(by, grants())).status).toBe(status);
    const { body } = await users.owner.api.get<RecordGrants>(
      `/conversations/${conversationId}/grants`,
    );
    expect(body.grants.map(({ role }) => role)).toEqual(['editor', 'manager', 'editor']);
  });

  it('of a user are found out by nobody: an unknown one and a foreign one answer the same', async () => {
    const unknown = await put('owner', [{ userId: newId(), role: 'viewer' }]);
    expect(await put('owner', [{ userId: users.foreign.id, role: 'viewer' }])).toMatchObject({
      body: unknown.body,
    });
  });

  it('are refused for guests, for temporary conversations, and while a reply runs that may know memories', async () => {
    const { api } = users.owner;
    const { body } = await api.post<Conversation>('/conversations', {
      title: 'x',
      temporary: true,
    });
    expect((await put('owner', GRANTS(), body.id)).status).toBe(422);
    const id = await api.conversation();
    await api.send(id, 'hang');
    expect((await put('owner', GRANTS(), id)).body).toMatchObject({ code: 'reply_in_progress' });
    const guest = await stack.guest();
    const url = `/conversations/${await guest.conversation()}/grants`;
    expect((await guest.call('PUT', url, { grants: [] })).status).toBe(403);
  });

  it('that two managers replace at once end as one of them, whole', async () => {
    const one: GrantBody[] = [{ userId: users.manager.id, role: 'manager' }];
    const other: GrantBody[] = [
      { userId: users.manager.id, role: 'manager' },
      { userId: users.editor.id, role: 'viewer' },
    ];
    const answers = await Promise.all([put('owner', one), put('manager', other)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await users.owner.api.get<RecordGrants>(
      `/conversations/${conversationId}/grants`,
    );
    const found = body.grants.map(({ name: _name, ...grant }) => grant);
    expect([one, other]).toContainEqual(found);
  });

  it('to a member end with the membership, but not what is shared by who meets the member elsewhere', async () => {
    const messages = `/conversations/${conversationId}/messages`;
    const read = async () => (await users.former.api.get(messages)).status;
    const leave = async () => {
      await database.collection('memberships').insertOne(join('former'));
      await put('owner', [{ userId: users.former.id, role: 'manager' }]);
      expect(await read()).toBe(200);
      const url = `/workspaces/${WORKSPACE}/members/${users.former.id}`;
      expect((await users.former.api.call('DELETE', url)).status).toBe(204);
    };
    await leave();
    expect(await read()).toBe(404);
    await insertHawks(['owner', 'former']);
    await leave();
    expect(await read()).toBe(200);
  });

  it('to a member end with the last membership that the member shares with a manager', async () => {
    const read = async () =>
      (await users.former.api.get(`/conversations/${conversationId}/messages`)).status;
    const leave = async (id: string) =>
      users.former.api.call('DELETE', `/workspaces/${id}/members/${users.former.id}`);
    const hawks = await insertHawks(['manager', 'former']);
    await database.collection('memberships').insertOne(join('former'));
    await put('manager', [
      { userId: users.manager.id, role: 'manager' },
      { userId: users.former.id, role: 'viewer' },
    ]);
    expect([await read(), (await leave(WORKSPACE)).status, await read()]).toEqual([200, 204, 200]);
    // The owner, who has never been there, does not count.
    expect([(await leave(hawks)).status, await read()]).toEqual([204, 404]);
  });

  it('to a member stay while the member meets somebody whose workspace manages', async () => {
    const read = async () =>
      (await users.former.api.get(`/conversations/${conversationId}/messages`)).status;
    const leave = async (id: string) =>
      users.former.api.call('DELETE', `/workspaces/${id}/members/${users.former.id}`);
    const shared = await insertHawks(['member', 'former']);
    const other = await insertHawks(['viewer', 'former'], 'viewer');
    const grants = [
      { principal: `workspace:${WORKSPACE}`, role: 'manager' },
      { principal: `user:${users.former.id}`, role: 'viewer' },
    ];
    await database
      .collection('conversations')
      .updateOne({ _id: oid(conversationId) }, { $set: { grants } });
    expect([(await leave(other)).status, await read()]).toEqual([204, 200]);
    expect([(await leave(shared)).status, await read()]).toEqual([204, 404]);
  });

  it('to a workspace end when it is deleted, and give only reading when its plan has ended', async () => {
    const messages = `/conversations/${conversationId}/messages`;
    await database.collection('subscriptions').deleteOne({ ownerId: oid(users.owner.id) });
    const sent = await users.member.api.post<ErrorBody>(messages, { content: 'x' });
    expect([sent.status, sent.body.details]).toEqual([403, { role: 'editor' }]);
    expect((await users.member.api.get(messages)).status).toBe(200);
    await database.collection('subscriptions').insertOne({
      ownerId: oid(users.owner.id),
      plan: 'pro',
      status: 'active',
      startedAt: new Date(),
    });
    expect((await users.owner.api.call('DELETE', `/workspaces/${WORKSPACE}`)).status).toBe(204);
    for (const by of ['member', 'viewer', 'editor', 'manager'] as const)
      expect((await users[by].api.get(messages)).status).toBe(404);
  });
});

describe('lists and search', () => {
  it('have own and shared conversations, page by page, newest first', async () => {
    const { api, id } = users.member;
    const at = Date.now();
    const documents = Array.from({ length: 60 }, (_, n) => ({
      _id: oid(newId()),
      ownerId: oid(n % 2 ? id : users.owner.id),
      title: `Talk ${n}`,
      createdAt: new Date(at),
      updatedAt: new Date(at - 1_000 * (1 + Math.floor(n / 3))),
      ...(n % 2 === 0 && {
        grants: [
          { principal: `workspace:${WORKSPACE}`, role: 'viewer' },
          ...(n % 4 ? [{ principal: `user:${id}`, role: 'editor' }] : []),
        ],
      }),
    }));
    await database.collection('conversations').insertMany(documents);
    const found: Conversation[] = [];
    for (let before = ''; ; ) {
      const { body } = await api.get<Conversation[]>(`/conversations?${before}`);
      found.push(...body);
      const last = body.at(-1);
      if (!last || body.length < 30) break;
      before = `before=${last.updatedAt}_${last.id}`;
    }
    expect(found).toHaveLength(61);
    expect(new Set(found.map(({ id: one }) => one)).size).toBe(61);
    expect(found.map(({ updatedAt }) => updatedAt)).toEqual(
      found
        .map(({ updatedAt }) => updatedAt)
        .toSorted()
        .toReversed(),
    );
    const shared = found.find((one) => one.title === 'Talk 2');
    expect(shared?.shared).toMatchObject({ role: 'editor', owner: { id: users.owner.id } });
    expect(found.find((one) => one.title === 'Talk 1')?.shared).toBeUndefined();
  });

  it('show it to those who have a role', async () => {
    const found = async (by: ActorName) =>
      (await users[by].api.get<SearchPage>('/search?q=owls')).body.results.map(
        ({ messageId }) => messageId,
      );
    await expect.poll(() => found('owner')).toEqual([replyId]);
    for (const actor of ACTORS.slice(1)) {
      const { api } = users[actor];
      const isRead = ROLES[actor] !== undefined;
      const list = (await api.get<Conversation[]>('/conversations')).body.map(({ id }) => id);
      const titled = (await api.get<Conversation[]>('/conversations?q=talk')).body.length;
      expect([actor, list, titled, await found(actor)]).toEqual([
        actor,
        isRead ? [conversationId] : [],
        isRead ? 1 : 0,
        isRead ? [replyId] : [],
      ]);
    }
  });
});

describe('a conversation of several people', () => {
  it('says who wrote a message and who asked for a reply, and keeps memories to the owner and feedback to each user', async () => {
    const sent = (await users.editor.api.send(conversationId, 'And bats?')).body;
    expect(sent.message.author?.id).toBe(users.editor.id);
    await expect
      .poll(async () => (await users.viewer.api.reply(conversationId)).status)
      .toBe('complete');
    const seen = await users.viewer.api.messages(conversationId);
    expect(seen.map(({ author }) => author?.id)).toEqual([
      users.owner.id,
      users.owner.id,
      users.editor.id,
      users.editor.id,
    ]);
    const [, first] = seen as [Message, Reply];
    expect([first.feedback, first.metadata?.memoryReceipt]).toEqual([undefined, undefined]);
    const [, own] = (await users.owner.api.messages(conversationId)) as [Message, Reply];
    expect(own.feedback).toEqual({ rating: 'good' });
    expect(own.metadata?.memoryReceipt).toBeDefined();
  });

  it('keeps what each of them thinks of a reply from all others, on the wire too', async () => {
    const tabs = await Promise.all(
      (['owner', 'editor', 'viewer'] as const).map(async (by) => {
        const tab = await users[by].api.tab(conversationId);
        const wire: string[] = [];
        tab.socket.onAny((event, payload) => wire.push(`${event} ${JSON.stringify(payload)}`));
        return { by, tab, wire };
      }),
    );
    for (const { by } of tabs) {
      const body = { rating: 'bad', reason: `Thought of the ${by}` };
      expect((await users[by].api.call('PUT', `/replies/${replyId}/feedback`, body)).status).toBe(
        200,
      );
    }
    // Something that all of them get comes after it.
    await put('owner', GRANTS());
    for (const { by, tab, wire } of tabs) {
      await expect.poll(() => wire.join()).toContain('conversation:changed');
      const seen = JSON.stringify(await users[by].api.messages(conversationId));
      for (const other of ['owner', 'editor', 'viewer']) {
        const thought = `Thought of the ${other}`;
        expect([by, other, seen.includes(thought)]).toEqual([by, other, by === other]);
        expect([by, other, wire.join().includes(thought)]).toEqual([by, other, by === other]);
      }
      tab.close();
    }
    const exported = await users.owner.api.get(
      `/conversations/${conversationId}/export?format=json`,
    );
    expect(JSON.stringify(exported.body)).not.toContain('Thought of');
  });

  /** The messages that each user has paid for. */
  const sentBy = async () => {
    const periods = await database.collection('usage_periods').find({}).toArray();
    return new Map(periods.map(({ ownerId, messages }) => [String(ownerId), Number(messages)]));
  };

  it('is answered once at a time: the second one learns who is answered, and the sender pays', async () => {
    const before = await sentBy();
    const [first, second] = await Promise.all([
      users.editor.api.send(conversationId, 'hang'),
      users.member.api.send(conversationId, 'hang too'),
    ]);
    const answers = [
      { by: users.editor.id, ...first },
      { by: users.member.id, ...second },
    ];
    const accepted = answers.find(({ status }) => status === 202);
    const refused = answers.find(({ status }) => status === 409);
    expect((refused?.body as unknown as ErrorBody | undefined)?.details?.startedBy).toMatchObject({
      id: accepted?.by,
    });
    await users.owner.api.post(`/replies/${accepted?.body.reply.id}/stop`);
    await expect
      .poll(async () => (await users.owner.api.reply(conversationId)).status)
      .toBe('stopped');
    const after = await sentBy();
    const paid = [users.editor.id, users.member.id, users.owner.id].filter(
      (id) => (after.get(id) ?? 0) > (before.get(id) ?? 0),
    );
    expect(paid).toEqual([accepted?.by]);
  });

  it('is stopped by any editor and no viewer, and says by whom, live and later', async () => {
    const { body } = await users.owner.api.send(conversationId, 'slowly');
    const { id } = body.reply;
    const tab = await users.viewer.api.tab(conversationId);
    const told: unknown[] = [];
    tab.socket.on('message:updated', (message) => {
      if (message.role === 'assistant' && message.stoppedBy) told.push(message.stoppedBy.id);
    });
    const view = () => tab.views.get(id);
    await expect.poll(() => view()?.length ?? 0).toBeGreaterThan(0);
    const stop = (by: ActorName) => users[by].api.post(`/replies/${id}/stop`);
    expect((await stop('viewer')).status).toBe(403);
    expect((await stop('former')).status).toBe(404);
    expect((await stop('editor')).status).toBe(202);
    await expect.poll(() => view()?.status).toBe('stopped');
    await expect.poll(() => told).toEqual([users.editor.id]);
    for (const by of ['owner', 'viewer', 'editor'] as const)
      expect((await users[by].api.reply(conversationId)).stoppedBy?.id).toBe(users.editor.id);
    const exported = await users.owner.api.get(
      `/conversations/${conversationId}/export?format=json`,
    );
    expect(JSON.stringify(exported.body)).not.toContain(users.editor.id);
    await users.owner.api.post(`/replies/${id}/continue`);
    const continued = await users.owner.api.reply(conversationId);
    expect(continued.stoppedBy).toBeUndefined();
    tab.close();
  });

  it('lets an editor edit and regenerate what another wrote as siblings of their own, and changes no text', async () => {
    const [question, answer] = await users.owner.api.messages(conversationId);
    const texts = async () =>
      new Map(
        (await database.collection('messages').find({}).toArray()).map(
          ({ _id, content, authorId }) => [String(_id), { content, authorId }],
        ),
      );
    const before = await texts();
    const url = `/conversations/${conversationId}/messages`;
    const edit = { content: 'Tell me of bats', parentId: null };
    for (const by of ['viewer', 'foreign', 'former'] as const) {
      const refusal = by === 'viewer' ? 403 : 404;
      expect((await users[by].api.post(url, edit)).status).toBe(refusal);
      const again = await users[by].api.post(`/replies/${answer?.id}/regenerate`, {});
      expect(again.status).toBe(refusal);
      for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
        for (const path of [`${url}/${question?.id}`, `/messages/${question?.id}`])
          expect((await users[by].api.call(method, path, edit)).status).toBe(404);
    }
    expect(await texts()).toEqual(before);
    // Ids, authors and owners in the body count for nothing.
    const forged = { id: question?.id, authorId: users.owner.id, ownerId: users.editor.id };
    const { body } = await users.editor.api.post<SentMessage>(url, { ...edit, ...forged });
    expect(body.message.siblingIds).toEqual([question?.id, body.message.id]);
    expect(body.message.author?.id).toBe(users.editor.id);
    // The owner sees another branch, where no reply runs.
    const ended = async () => (await users.editor.api.reply(conversationId)).status;
    await expect.poll(ended).toBe('complete');
    const again = await users.member.api.post<ReplyResult>(`/replies/${answer?.id}/regenerate`, {});
    expect(again.body.reply.siblingIds).toEqual([answer?.id, again.body.reply.id]);
    expect(again.body.reply.author?.id).toBe(users.member.id);
    const after = await texts();
    for (const [id, text] of before) expect(after.get(id)).toEqual(text);
  });

  it('ends equal in the tabs of two people, as it is stored and charged once, when worker and web process are killed in the middle', async () => {
    const before = await sentBy();
    const tabs = await Promise.all(
      (['owner', 'editor'] as const).map((by) => users[by].api.tab(conversationId)),
    );
    await users.editor.api.send(conversationId, 'steadily');
    const isPast = (length: number) => () =>
      tabs.every(({ reply }) => reply.status === 'streaming' && reply.text.length > length);
    await expect.poll(isPast(200)).toBe(true);
    await stack.web.kill();
    await stack.web.restart();
    await expect.poll(isPast(400)).toBe(true);
    // Another worker gets another answer to what is left of the prompt.
    await stack.worker.kill();
    await stack.worker.restart();
    for (const tab of tabs) await expect.poll(() => tab.reply.status).toBe('complete');
    const stored = await users.owner.api.reply(conversationId);
    expect(stored.status).toBe('complete');
    expect(tabs.map(({ reply }) => reply.text)).toEqual([stored.content, stored.content]);
    await expect
      .poll(async () => (await sentBy()).get(users.editor.id))
      .toBe((before.get(users.editor.id) ?? 0) + 1);
    expect((await sentBy()).get(users.owner.id)).toBe(before.get(users.owner.id));
    for (const tab of tabs) tab.close();
  });

  it('reads and writes no memory of anybody', async () => {
    await database.collection('memories').insertOne({
      ownerId: oid(users.owner.id),
      text: 'The owner lives in Ulm.',
      state: 'active',
      scope: 'user',
      isPinned: true,
      version: 1,
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    await users.owner.api.send(conversationId, 'I live in Ulm, what do you know of me?');
    await expect
      .poll(async () => (await users.owner.api.reply(conversationId)).status)
      .toBe('complete');
    const [request] = stack.provider.getRequests().slice(-1);
    expect(JSON.stringify(request)).not.toContain('lives in Ulm');
    await database.collection('memories').deleteMany({});
  });

  /** Opens a tab. @returns the ids of those whom it was told last, with a mark at those who are writing */
  const presentTo = async (by: ActorName) => {
    const tab = await users[by].api.tab(conversationId);
    let ids: string[] = [];
    tab.socket.on('presence', ({ users: people }) => {
      ids = people.map(({ id, state }) => (state === 'typing' ? `${id}…` : id));
    });
    return () => ids;
  };

  it('is read only from the next call on by an open tab whose admin was made a viewer of the workspace', async () => {
    const { id } = users.member;
    await database
      .collection('memberships')
      .updateOne({ userId: oid(id) }, { $set: { role: 'admin' } });
    const present = await presentTo('owner');
    const tab = await users.member.api.tab(conversationId);
    await expect.poll(present).toContain(id);
    const typing = () => tab.socket.emit('typing', { conversationId });
    typing();
    await expect.poll(present).toContain(`${id}…`);
    await expect.poll(present).toContain(id);
    const url = `/workspaces/${WORKSPACE}/members/${id}`;
    expect((await users.owner.api.patch(url, { role: 'viewer' })).status).toBe(204);
    const { body } = await users.owner.api.send(conversationId, 'slowly');
    const view = () => tab.views.get(body.reply.id);
    await expect.poll(() => view()?.length ?? 0).toBeGreaterThan(0);
    const stopped = await users.member.api.post(`/replies/${body.reply.id}/stop`);
    expect(stopped.status).toBe(403);
    expect((await users.member.api.send(conversationId, 'x')).status).toBe(403);
    typing();
    expect((await users.member.api.call('DELETE', `/workspaces/${WORKSPACE}`)).status).toBe(403);
    expect(present()).toContain(id);
    await users.owner.api.post(`/replies/${body.reply.id}/stop`);
    await expect.poll(() => view()?.status).toBe('stopped');
    expect(present()).toContain(id);
  });

  it.each([
    [
      'its grant is taken back',
      () => put('owner', [{ userId: users.manager.id, role: 'manager' }]),
    ],
    [
      'the membership ends',
      () => users.owner.api.call('DELETE', `/workspaces/${WORKSPACE}/members/${users.editor.id}`),
    ],
    ['the workspace is deleted', () => users.owner.api.call('DELETE', `/workspaces/${WORKSPACE}`)],
    [
      'the grant is gone and the event was lost',
      () =>
        database
          .collection('conversations')
          .updateOne({ _id: oid(conversationId) }, { $unset: { grants: 1 } }),
    ],
  ])('is closed to a tab within 5 s once %s, while a reply streams', async (what, revoke) => {
    const present = await presentTo('owner');
    if (what === 'the membership ends')
      await put('owner', [{ userId: users.editor.id, role: 'editor' }]);
    const tab = await users.editor.api.tab(conversationId);
    const events: string[] = [];
    let deltas = 0;
    let lastAt = 0;
    tab.socket.on('access:changed', () => events.push('access:changed'));
    const note = () => {
      deltas += 1;
      lastAt = Date.now();
    };
    tab.socket.on('reply:delta', note).on('presence', note);
    await users.owner.api.send(conversationId, 'slowly');
    await expect.poll(() => deltas).toBeGreaterThan(1);
    await expect.poll(present).toContain(users.editor.id);
    await revoke();
    const revokedAt = Date.now();
    expect((await users.editor.api.get(`/conversations/${conversationId}/messages`)).status).toBe(
      404,
    );
    const length = async () => (await users.owner.api.reply(conversationId)).content.length;
    /** Whether the reply has grown without a delta for this tab. */
    const isSilent = async () => {
      const [before, seen] = [await length(), deltas];
      await expect.poll(length).toBeGreaterThan(before + 20);
      return deltas === seen;
    };
    await expect.poll(isSilent).toBe(true);
    expect(lastAt - revokedAt).toBeLessThan(5_000);
    expect(events).toEqual(what.includes('lost') ? [] : ['access:changed']);
    await expect.poll(present).not.toContain(users.editor.id);
    // Neither is heard who writes, nor can the tab come back.
    tab.socket.emit('typing', { conversationId });
    expect(await tab.socket.emitWithAck('watch', { conversationId })).toEqual({
      error: 'not_found',
    });
    expect(present()).not.toContain(users.editor.id);
    const late = deltas;
    await users.owner.api.post(`/replies/${(await users.owner.api.reply(conversationId)).id}/stop`);
    await expect
      .poll(async () => (await users.owner.api.reply(conversationId)).status)
      .not.toBe('streaming');
    expect(deltas).toBe(late);
    tab.close();
  });
});

describe('an owner who pays for a conversation', () => {
  const url = () => `/conversations/${conversationId}`;
  const offer = (by: ActorName, ownerPays: unknown) =>
    users[by].api.patch<Conversation>(url(), { ownerPays });
  const payer = async (by: ActorName) =>
    (await users[by].api.get<{ by: string }>(`${url()}/payer`)).body.by;
  const send = async (by: ActorName) => {
    const { status, body } = await users[by].api.post<{ reply: Reply }>(`${url()}/messages`, {
      content: 'An owl?',
    });
    expect(status).toBe(202);
    await expect
      .poll(async () => (await users[by].api.reply(conversationId)).status)
      .toBe('complete');
    return database.collection('messages').findOne({ _id: oid(body.reply.id) });
  };

  it('is asked for by nobody else, and with a number of tokens only', async () => {
    for (const by of ['editor', 'manager'] as const)
      expect((await offer(by, 100)).status).toBe(403);
    for (const wrong of [0, -1, 1.5, 1e12, '5', { $gt: 0 }])
      expect((await offer('owner', wrong)).status).toBe(422);
    expect((await offer('owner', 5_000)).body).toMatchObject({ ownerPays: 5_000 });
    const { body } = await users.editor.api.get<Conversation[]>(
      `/conversations?ids=${conversationId}`,
    );
    expect(body).toMatchObject([{ ownerPays: 5_000 }]);
  });

  it('pays what others ask until it is switched off, and the reply keeps its payer', async () => {
    expect(await payer('editor')).toBe('self');
    await offer('owner', 100_000);
    expect([await payer('editor'), await payer('owner')]).toEqual(['owner', 'self']);
    expect((await send('editor'))?.payer).toEqual({
      ownerId: users.owner.id,
      userId: users.editor.id,
      conversationId,
    });
    const entries = () =>
      database
        .collection('usage_ledger')
        .find({ conversationId: oid(conversationId) })
        .toArray();
    await expect.poll(async () => (await entries()).length).toBeGreaterThan(0);
    for (const { ownerId, userId } of await entries())
      expect([String(ownerId), String(userId)]).toEqual([users.owner.id, users.editor.id]);
    await offer('owner', null);
    expect(await payer('editor')).toBe('self');
    expect((await send('editor'))?.payer).toEqual({
      ownerId: users.editor.id,
      userId: users.editor.id,
    });
  });

  it('pays no more when the cap is used up: then who sends pays', async () => {
    await offer('owner', 1);
    await send('editor');
    await expect.poll(() => payer('editor')).toBe('self');
    expect((await send('editor'))?.payer?.ownerId).toBe(users.editor.id);
  });
});
