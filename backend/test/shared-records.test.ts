import path from 'node:path';
import { type Connection, Types } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordGrants } from '../src/contract/access.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { AttachedFile, FileList, UploadTarget } from '../src/contract/files.ts';
import type { Persona, PersonaSummary } from '../src/contract/personas.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { declaredRoutes } from './hostile.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

// Personas and files that are shared. Conversations: sharing.test.ts.

const SOURCES = path.join(import.meta.dirname, '../src/features');
const ACTORS = ['none', 'foreign', 'former', 'viewer', 'editor', 'manager', 'owner'] as const;
type ActorName = (typeof ACTORS)[number];
const RANKS = ['viewer', 'editor', 'manager', 'owner'];
const WORKSPACE = 'c'.repeat(24);

let stack: Stack;
let database: Connection;
const users = {} as Record<ActorName, { api: ApiClient; id: string }>;
const ids = { personas: '', files: '' };
let readyMadeId = '';
const oid = (id: string) => Types.ObjectId.createFromHexString(id);
const newId = () => new Types.ObjectId().toHexString();

beforeAll(async () => {
  stack = await startStack({ SEATS_PRO: '9' });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  stack.provider.onMessage(/.*/, { content: 'Owls hoot.' });
  const us = visitor(stack.web.url);
  users.none = { api: us.as('wrong'), id: '' };
  for (const name of ACTORS.slice(1)) {
    const { api } = await us.member();
    const { id } = (await api.get<{ id: string }>('/auth/user')).body;
    users[name] = { api, id };
    await database.collection('subscriptions').insertOne({
      ownerId: oid(id),
      plan: name === 'owner' ? 'pro' : 'starter',
      status: 'active',
      startedAt: new Date(),
    });
  }
  const readyMade = (await users.owner.api.get<PersonaSummary[]>('/personas?fields=summary')).body;
  readyMadeId = readyMade[0]?.id ?? '';
  await database.collection('workspaces').insertOne({
    _id: oid(WORKSPACE),
    ownerId: oid(users.owner.id),
    name: 'Owls',
    seats: [],
    taken: 0,
    createdAt: new Date(),
  });
});
afterAll(() => database.close());

/** All but the foreign user are members, and the records are shared with all but the former reader. */
beforeEach(async () => {
  const collections = ['memberships', 'personas', 'files', 'conversations', 'messages'];
  await Promise.all(collections.map((name) => database.collection(name).deleteMany({})));
  await database.collection('memberships').insertMany(
    (['owner', 'viewer', 'editor', 'manager', 'former'] as const).map((name) => ({
      workspaceId: oid(WORKSPACE),
      userId: oid(users[name].id),
      role: name === 'owner' ? 'admin' : 'member',
      joinedAt: new Date(),
    })),
  );
  await renew();
});

const grantsOf = (names: readonly ActorName[]) =>
  names.map((name) => ({ userId: users[name].id, role: name }));
const put = (by: ActorName, kind: Kind, grants: object[]) =>
  users[by].api.call<RecordGrants & ErrorBody>('PUT', `/${kind}/${ids[kind]}/grants`, { grants });

async function renew() {
  await Promise.all(['personas', 'files'].map((name) => database.collection(name).deleteMany({})));
  const fields = {
    name: 'Keeper',
    description: 'Knows owls',
    instructions: 'SECRET',
    do: [{ topic: '', text: 'SECRET' }],
    knowledge: [{ keys: ['owl'], text: 'SECRET' }],
    examples: [{ user: 'SECRET', assistant: 'SECRET' }],
  };
  const made = await users.owner.api.post<Persona>('/personas', fields);
  ids.personas = made.body.id;
  ids.files = newId();
  await database.collection('files').insertOne({
    _id: oid(ids.files),
    ownerId: oid(users.owner.id),
    name: 'owls.pdf',
    type: 'application/pdf',
    kind: 'pdf',
    size: 1,
    sha256: ids.files,
    state: 'waiting',
    hasThumbnail: true,
    inLibrary: true,
    conversationIds: [oid('d'.repeat(24))],
    createdAt: new Date(),
  });
  for (const kind of ['personas', 'files'] as const)
    expect((await put('owner', kind, grantsOf(['viewer', 'editor', 'manager']))).status).toBe(200);
}

type Kind = keyof typeof ids;
type Needed = 'viewer' | 'editor' | 'manager' | 'owner';
interface Door {
  body?: () => object;
  needed: Needed;
  status: number;
}

const DOORS: Record<string, Door> = {
  'GET /personas/:id': { needed: 'viewer', status: 200 },
  'PATCH /personas/:id': {
    body: () => ({ version: 1, tone: ['calm'] }),
    needed: 'editor',
    status: 200,
  },
  'POST /personas/:id/duplicate': { needed: 'editor', status: 201 },
  // It has none.
  'GET /personas/:id/picture': { needed: 'viewer', status: 404 },
  'GET /personas/:id/export?format=v2': { needed: 'editor', status: 200 },
  'POST /personas/fusion/preview': {
    body: () => ({
      members: [
        { id: ids.personas, weight: 50 },
        { id: readyMadeId, weight: 50 },
      ],
    }),
    needed: 'editor',
    status: 200,
  },
  'DELETE /personas/:id': { needed: 'manager', status: 204 },
  'GET /personas/:id/grants': { needed: 'manager', status: 200 },
  'PUT /personas/:id/grants': { body: () => ({ grants: [] }), needed: 'manager', status: 200 },
  'GET /files/:id': { needed: 'viewer', status: 302 },
  // It is still waiting to be read.
  'GET /files/:id/pages/1': { needed: 'viewer', status: 409 },
  'GET /files/:id/pages/1/marks?start=0&end=1': { needed: 'viewer', status: 409 },
  'GET /files/:id/pages/1/picture?width=800': { needed: 'viewer', status: 304 },
  'GET /files/:id/thumbnail': { needed: 'viewer', status: 304 },
  'POST /files/:id/read': { needed: 'editor', status: 202 },
  'DELETE /files/:id': { needed: 'manager', status: 204 },
  'GET /files/:id/grants': { needed: 'manager', status: 200 },
  'PUT /files/:id/grants': { body: () => ({ grants: [] }), needed: 'manager', status: 200 },
};

const call = async (actor: ActorName, route: string, body?: object) => {
  const [method = '', address = ''] = route.split(' ');
  const id = address.startsWith('/personas') ? ids.personas : ids.files;
  const url = address.replace(':id', id);
  // Those that may see a picture are told that they have it.
  const etags = ['1-1280', '1-1600', '1-800', 'thumbnail'].map((one) => `"${ids.files}-${one}"`);
  const headers = {
    'if-none-match': etags.join(', '),
    authorization: `Bearer ${users[actor].api.token}`,
  };
  return (await visitor(stack.web.url).call(method, url, { ...(body && { body }), headers }))
    .status;
};

function expectedOf({ needed, status }: Door, actor: ActorName): number {
  if (actor === 'none') return 401;
  const at = RANKS.indexOf(actor);
  if (at < 0) return 404;
  return at >= RANKS.indexOf(needed) ? status : 403;
}

describe('the doors of shared personas and files', () => {
  it('have an entry for every route of a persona or a file', () => {
    const known = Object.keys(DOORS).map((it) => it.replace(/\?.*/, '').replace('/1', '/:n'));
    const declared = declaredRoutes(SOURCES).map((it) => `${it.method} ${it.path}`);
    const ofRecords = declared.filter((it) => /^\w+ \/(?:personas|files)\/:id/.test(it));
    expect(ofRecords.filter((it) => !known.includes(it))).toEqual([]);
  });

  it.each(Object.entries(DOORS))('%s', async (route, door) => {
    for (const actor of ACTORS) {
      const status = await call(actor, route, door.body?.());
      expect([actor, status]).toEqual([actor, expectedOf(door, actor)]);
      // What was allowed has changed it.
      if (RANKS.includes(actor)) await renew();
    }
  });

  it('close for all when they are private again', async () => {
    for (const kind of ['personas', 'files'] as const) await put('owner', kind, []);
    for (const [route, door] of Object.entries(DOORS))
      for (const actor of ['viewer', 'editor', 'manager'] as const)
        expect([route, await call(actor, route, door.body?.())]).toEqual([route, 404]);
  });
});

describe('a shared persona', () => {
  const read = async (by: ActorName) =>
    (await users[by].api.get<Persona>(`/personas/${ids.personas}`)).body;
  const send = async (by: ActorName, personaId = ids.personas) => {
    const { api } = users[by];
    const url = `/conversations/${await api.conversation()}/messages`;
    return api.post<ErrorBody>(url, { content: 'An owl?', personaId });
  };

  it('shows its text to editors and to nobody with less', async () => {
    expect(await read('editor')).toMatchObject({
      instructions: 'SECRET',
      shared: { role: 'editor', owner: { id: users.owner.id } },
    });
    const shown = await read('viewer');
    expect(shown).toMatchObject({ name: 'Keeper', description: 'Knows owls' });
    expect(JSON.stringify(shown)).not.toContain('SECRET');
    const { body } = await users.viewer.api.get<PersonaSummary[]>('/personas?fields=summary');
    const listed = body.filter((persona) => persona.shared);
    expect(listed).toMatchObject([{ id: ids.personas, shared: shown.shared }]);
    expect([shown]).toMatchObject(listed);
  });

  it('is used by a viewer as it is, and by nobody once it is private again', async () => {
    expect((await send('viewer')).status).toBe(202);
    await expect.poll(() => JSON.stringify(stack.provider.getRequests())).toContain('SECRET');
    expect((await send('foreign')).status).toBe(404);
    await put('owner', 'personas', []);
    expect(await send('viewer')).toMatchObject({
      status: 404,
      body: { details: { field: 'personaId' } },
    });
    const { body } = await users.viewer.api.get<PersonaSummary[]>('/personas?fields=summary');
    expect(body.filter(({ isReadyMade }) => !isReadyMade)).toEqual([]);
  });

  it('is renamed by a manager and not by an editor, in the place of its owner', async () => {
    const rename = async (by: ActorName) =>
      (await users[by].api.patch(`/personas/${ids.personas}`, { version: 1, name: 'X' })).status;
    expect(await rename('editor')).toBe(403);
    expect(await rename('manager')).toBe(200);
    expect(await read('owner')).toMatchObject({ name: 'X', version: 2 });
  });
});

describe('a shared file', () => {
  const list = async (by: ActorName) => (await users[by].api.get<FileList>('/files')).body;
  const send = async (by: ActorName) => {
    const { api } = users[by];
    const url = `/conversations/${await api.conversation()}/messages`;
    return (await api.post(url, { content: 'Owls?', files: [{ id: ids.files }] })).status;
  };

  it('is listed with its owner, takes no storage of others, and does not show its conversations', async () => {
    const { files, storage } = await list('viewer');
    expect(storage.used).toBe(0);
    expect(files).toMatchObject([
      {
        id: ids.files,
        conversationIds: [],
        shared: { role: 'viewer', owner: { id: users.owner.id } },
      },
    ]);
    const own = (await list('owner')).files;
    expect(own).toMatchObject([{ shared: { role: 'owner' } }]);
    expect(own[0]?.conversationIds).toHaveLength(1);
    expect((await list('former')).files).toEqual([]);
  });

  it('is named in messages of its readers, whose conversations do not keep it', async () => {
    expect(await send('viewer')).toBe(202);
    expect(await send('former')).toBe(404);
    const stored = await database.collection('files').findOne({ _id: oid(ids.files) });
    expect(stored?.conversationIds).toHaveLength(1);
    await put('owner', 'files', []);
    expect(await send('viewer')).toBe(404);
    expect((await list('viewer')).files).toEqual([]);
  });
});

describe('a file of a member who leaves', () => {
  const text = `Owls hoot. ${newId()}`;

  async function upload(api: ApiClient): Promise<string> {
    const said = { fileName: 'owls.txt', fileSize: text.length, purpose: 'library' };
    const { body: target } = await api.post<UploadTarget>('/objects/upload', said);
    const { method, headers, uploadURL } = target;
    await fetch(uploadURL, { method, headers, body: text });
    const attached = { uploadURL, fileName: 'owls.txt', purpose: 'library' };
    return (await api.post<AttachedFile>('/objects/attach', attached)).body.id;
  }

  const statusOf = async (by: ActorName) => (await users[by].api.get(`/files/${ids.files}`)).status;
  const contentFor = async (by: ActorName) => {
    const { url, token } = users[by].api;
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api/files/${ids.files}`, { headers })).text();
  };

  it('goes to the owner with its text and its bytes, and opens for its former owner where it was used', async () => {
    const { api } = users.editor;
    ids.files = await upload(api);
    const share = { workspaceId: WORKSPACE, role: 'viewer' };
    expect((await put('editor', 'files', [share])).status).toBe(200);
    const conversationId = await api.conversation();
    const sent = { content: 'Owls?', files: [{ id: ids.files }] };
    await api.post(`/conversations/${conversationId}/messages`, sent);
    const leaving = `/workspaces/${WORKSPACE}/members/${users.editor.id}`;
    expect((await api.get(`${leaving}/leaving`)).body).toMatchObject({ files: 1 });

    expect((await api.call('DELETE', leaving)).status).toBe(204);
    const [own] = (await users.owner.api.get<FileList>('/files')).body.files;
    expect(own).toMatchObject({ id: ids.files, conversationIds: [], shared: { role: 'owner' } });
    await expect
      .poll(async () => (await users.owner.api.get<FileList>('/files')).body.files[0]?.state)
      .toBe('ready');
    for (const name of ['owner', 'viewer', 'editor'] as const)
      expect(await contentFor(name)).toBe(text);
    expect(await statusOf('foreign')).toBe(404);
    const kept = (await users.editor.api.get<FileList>('/files')).body;
    expect([kept.files, kept.storage.used]).toEqual([[], 0]);
    // With the byte of the file that each test begins with.
    const { used } = (await users.owner.api.get<FileList>('/files')).body.storage;
    expect(used).toBe(text.length + 1);

    await api.call('DELETE', `/conversations/${conversationId}`);
    await expect.poll(() => statusOf('editor')).toBe(404);
  });
});

describe('grants of personas and files', () => {
  it.each(['personas', 'files'] as const)(
    'of %s refuse what conversations refuse',
    async (kind) => {
      for (const [status, grants] of [
        [422, [{ userId: users.viewer.id, role: 'root' }]],
        [422, [{ userId: users.viewer.id, role: 'viewer', ownerId: users.viewer.id }]],
        [422, [{ userId: users.owner.id, role: 'viewer' }]],
        [422, [{ userId: users.foreign.id, role: 'viewer' }]],
        [422, [{ userId: newId(), role: 'viewer' }]],
        [422, Array.from({ length: 1_000 }, () => ({ userId: newId(), role: 'viewer' }))],
        [404, [{ workspaceId: newId(), role: 'viewer' }]],
      ] as const)
        expect((await put('manager', kind, [...grants])).status).toBe(status);
      const { body } = await users.owner.api.get<RecordGrants>(`/${kind}/${ids[kind]}/grants`);
      expect(body.grants.map(({ role }) => role)).toEqual(['viewer', 'editor', 'manager']);
    },
  );

  it('end with the membership that allowed them', async () => {
    const url = `/workspaces/${WORKSPACE}/members/${users.viewer.id}`;
    expect((await users.viewer.api.call('DELETE', url)).status).toBe(204);
    expect(await call('viewer', 'GET /personas/:id')).toBe(404);
    expect(await call('viewer', 'GET /files/:id')).toBe(404);
  });
});
