import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Connection, Types } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, CreatedConversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { SentMessage } from '../src/contract/messages.ts';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../src/contract/roles.ts';
import type { ReplyUsage, Usage } from '../src/contract/usage.ts';
import type {
  AcceptedInvitation,
  Invitation,
  InvitationView,
  Workspace,
  WorkspaceMember,
} from '../src/contract/workspaces.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { hashOf } from '../src/features/accounts/index.ts';
import { routes } from './hostile.ts';
import { mailbox, tokenIn } from './mailbox.ts';
import { temporaryFolder } from './processes.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import { newEmail, visitor } from './visitor.ts';

const SOURCES = path.join(import.meta.dirname, '../src/features/workspaces');
const SEATS = 7;
const DAY_MS = 86_400_000;

let stack: Stack;
let database: Connection;
let us: ReturnType<typeof visitor>;
let mail: ReturnType<typeof mailbox>;

beforeAll(async () => {
  const dataDir = await temporaryFolder();
  mail = mailbox(dataDir);
  stack = await startStack({ SEATS_PRO: String(SEATS), DATA_DIR: dataDir });
  stack.provider
    .onMessage('slow', { content: longText(40) }, { streamingProfile: { tps: 40 } })
    .onMessage(/.*/, { content: longText(5) });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  us = visitor(stack.web.url);
  await makeUsers();
});
afterAll(() => database.close());

const ACTORS = [
  'none',
  'guest',
  'foreign',
  'former',
  'viewer',
  'member',
  'admin',
  'owner',
] as const;
type ActorName = (typeof ACTORS)[number];

interface TestUser {
  api: ApiClient;
  id: string;
  email: string;
}
const users = {} as Record<ActorName | 'target', TestUser>;

async function newUser(email = newEmail()): Promise<TestUser> {
  const { api } = await us.member(email);
  const { id } = (await api.get<{ id: string }>('/auth/user')).body;
  return { api, id, email };
}

const oid = (id: string) => Types.ObjectId.createFromHexString(id);

const subscribe = (ownerId: string, plan: 'starter' | 'pro') =>
  database.collection('subscriptions').insertOne({
    ownerId: oid(ownerId),
    plan,
    status: 'active',
    startedAt: new Date(),
  });

async function makeUsers() {
  users.none = { api: us.as('wrong'), id: '', email: '' };
  const guest = await us.guest();
  users.guest = {
    api: guest,
    id: (await guest.get<{ id: string }>('/auth/user')).body.id,
    email: '',
  };
  for (const name of ['foreign', 'former', 'viewer', 'member', 'admin', 'owner', 'target'] as const)
    users[name] = await newUser();
  await subscribe(users.owner.id, 'pro');
}

const ID = 'a'.repeat(24);
const INVITATION = 'b'.repeat(24);
const TOKEN = 'the-secret-of-the-mail';
const INVITED = 'invited@example.org';

const memberships = () => database.collection('memberships');
const workspaces = () => database.collection('workspaces');
const invitations = () => database.collection('invitations');

/** A workspace with a member of each role, an open invitation and an offer of the ownership to the admin. */
beforeEach(async () => {
  for (const collection of [memberships(), workspaces(), invitations()])
    await collection.deleteMany({});
  const now = new Date();
  const members = ['owner', 'admin', 'member', 'viewer', 'target'] as const;
  const seats = [...members.map((name) => users[name].id), INVITATION];
  await workspaces().insertOne({
    _id: oid(ID),
    name: 'Owls',
    ownerId: oid(users.owner.id),
    transferTo: oid(users.admin.id),
    seats: seats.map((key) => ({ key, at: now })),
    taken: seats.length,
    createdAt: now,
  });
  const role = (name: string) => (name === 'owner' ? 'admin' : name === 'target' ? 'member' : name);
  await memberships().insertMany(
    members.map((name) => ({
      workspaceId: oid(ID),
      userId: oid(users[name].id),
      role: role(name),
      joinedAt: now,
    })),
  );
  await invitations().insertOne({
    _id: oid(INVITATION),
    workspaceId: oid(ID),
    email: INVITED,
    role: 'member',
    invitedBy: oid(users.owner.id),
    tokenHash: hashOf(TOKEN),
    createdAt: now,
    expiresAt: new Date(now.getTime() + DAY_MS),
  });
});

/** A call that needs a role in the workspace, and its status for those who have it. */
interface Door {
  body?: () => object;
  needed: WorkspaceRole;
  status: number | Partial<Record<WorkspaceRole, number>>;
}

const DOORS: Record<string, Door> = {
  'PATCH /workspaces/:id': { body: () => ({ name: 'Hawks' }), needed: 'admin', status: 200 },
  'DELETE /workspaces/:id': { needed: 'owner', status: 204 },
  'GET /workspaces/:id/invitations': { needed: 'admin', status: 200 },
  'POST /workspaces/:id/invitations': {
    body: () => ({ email: newEmail(), role: 'member' }),
    needed: 'admin',
    status: 201,
  },
  'POST /workspaces/:id/invitations/:invitationId/mail': { needed: 'admin', status: 200 },
  'DELETE /workspaces/:id/invitations/:invitationId': { needed: 'admin', status: 204 },
  'GET /workspaces/:id/members': { needed: 'viewer', status: 200 },
  'PATCH /workspaces/:id/members/:userId': {
    body: () => ({ role: 'viewer' }),
    needed: 'admin',
    status: 204,
  },
  'PUT /workspaces/:id/domains': { body: () => ({ domains: [] }), needed: 'admin', status: 204 },
  'DELETE /workspaces/:id/members/:userId': { needed: 'admin', status: 204 },
  'GET /workspaces/:id/members/:userId/leaving': { needed: 'admin', status: 200 },
  'POST /workspaces/:id/transfer': {
    body: () => ({ userId: users.admin.id }),
    needed: 'owner',
    status: 204,
  },
  'DELETE /workspaces/:id/transfer': { needed: 'admin', status: 204 },
  // The owner has no offer.
  'POST /workspaces/:id/transfer/accept': { needed: 'admin', status: { admin: 204, owner: 404 } },
};

/** The other calls, with the status for each actor in the order of `ACTORS`. */
const OTHERS: Record<string, { body?: object; statuses: number[] }> = {
  'GET /workspaces': { statuses: [401, 200, 200, 200, 200, 200, 200, 200] },
  'POST /workspaces': {
    body: { name: 'Mine' },
    statuses: [401, 403, 402, 402, 402, 402, 402, 409],
  },
  'GET /workspaces/joinable': { statuses: [401, 200, 200, 200, 200, 200, 200, 200] },
  'POST /workspaces/:id/join': { statuses: [401, 403, 404, 404, 404, 404, 404, 404] },
  'POST /invitations/read': {
    body: { token: TOKEN },
    statuses: [401, 403, 403, 403, 403, 403, 403, 403],
  },
  'POST /invitations/accept': {
    body: { token: TOKEN },
    statuses: [401, 403, 403, 403, 403, 403, 403, 403],
  },
};

const rank = (name: string) => (WORKSPACE_ROLES as readonly string[]).indexOf(name);

function expectedOf({ needed, status }: Door, actor: ActorName): [number, string?] {
  if (actor === 'none') return [401];
  if (rank(actor) === -1) return [404];
  if (rank(actor) > rank(needed)) return [403, needed];
  return [typeof status === 'number' ? status : (status[actor as WorkspaceRole] ?? 0)];
}

const call = async (actor: ActorName, route: string, body?: object) => {
  const [method = '', address = ''] = route.split(' ');
  const url = address
    .replace(':id', ID)
    .replace(':invitationId', INVITATION)
    .replace(':userId', users.target.id);
  const answer = await users[actor].api.call<ErrorBody | undefined>(method, url, body);
  return { status: answer.status, role: answer.body?.details?.role as string | undefined };
};

describe('the doors of workspaces', () => {
  it('have an entry for every route', () => {
    const declared = routes(SOURCES).map(({ method, path: route }) => `${method} ${route}`);
    expect([...Object.keys(DOORS), ...Object.keys(OTHERS)].toSorted()).toEqual(declared.toSorted());
  });

  it.each(
    Object.entries(DOORS).flatMap(([route, door]) =>
      ACTORS.map((actor) => ({ route, actor, door })),
    ),
  )('$route as $actor', async ({ route, actor, door }) => {
    const [status, role] = expectedOf(door, actor);
    expect(await call(actor, route, door.body?.())).toEqual({ status, role });
  });

  it.each(Object.entries(OTHERS))('%s', async (route, { body, statuses }) => {
    for (const [at, actor] of ACTORS.entries())
      expect([actor, (await call(actor, route, body)).status]).toEqual([actor, statuses[at]]);
  });

  it('of a former member close with the membership, and no list shows the workspace', async () => {
    const { api, id } = users.member;
    expect((await api.get<Workspace[]>('/workspaces')).body).toHaveLength(1);
    expect((await api.call('DELETE', `/workspaces/${ID}/members/${id}`)).status).toBe(204);
    expect((await api.get(`/workspaces/${ID}/members`)).status).toBe(404);
    expect((await api.get<Workspace[]>('/workspaces')).body).toEqual([]);
  });
});

describe('bad input', () => {
  const owner = () => users.owner.api;
  const INVITE = `/workspaces/${ID}/invitations`;

  it.each([
    ['POST', INVITE, { email: 'a@example.org', role: 'root' }],
    ['POST', INVITE, { email: 'a@example.org', role: 'owner' }],
    ['POST', INVITE, { email: 'no address', role: 'member' }],
    ['POST', INVITE, { email: 'a@example.org', role: 'member', ownerId: ID }],
    ['POST', '/workspaces', { name: 'x', ownerId: ID }],
    ['POST', '/workspaces', { name: '' }],
    ['POST', '/workspaces', { name: '\u202e\u2066' }],
    ['PATCH', `/workspaces/${ID}`, { name: 'x', ownerId: ID }],
    ['PATCH', `/workspaces/${ID}`, { name: 'x'.repeat(61) }],
    ['POST', `/workspaces/${ID}/transfer`, { userId: { $ne: null } }],
    ['POST', '/invitations/accept', { token: { $ne: null } }],
  ])('%s %s %j is refused', async (method, url, body) => {
    expect((await owner().call(method, url, body)).status).toBe(422);
  });

  it('cannot make an owner of a member, nor the owner a member', async () => {
    for (const role of ['owner', 'root'])
      expect(
        (await owner().patch(`/workspaces/${ID}/members/${users.target.id}`, { role })).status,
      ).toBe(422);
    const own = `/workspaces/${ID}/members/${users.owner.id}`;
    for (const { api } of [users.owner, users.admin]) {
      expect((await api.patch(own, { role: 'viewer' })).status).toBe(403);
      expect((await api.call('DELETE', own)).status).toBe(403);
    }
  });

  it('loses the characters of a name that change the writing direction', async () => {
    const { body } = await owner().patch<Workspace>(`/workspaces/${ID}`, {
      name: ' Owls\u202e\n gpj.exe\u2066 ',
    });
    expect(body.name).toBe('Owls gpj.exe');
  });

  it('of an invitation in another workspace answers 404', async () => {
    const other = 'c'.repeat(24);
    await workspaces().insertOne({
      _id: oid(other),
      name: 'Others',
      ownerId: oid(users.foreign.id),
      seats: [],
      taken: 0,
      createdAt: new Date(),
    });
    await memberships().insertOne({
      workspaceId: oid(other),
      userId: oid(users.admin.id),
      role: 'admin',
      joinedAt: new Date(),
    });
    await subscribe(users.foreign.id, 'pro');
    const { api } = users.admin;
    const theirs = `/workspaces/${other}/invitations/${INVITATION}`;
    expect((await api.post(`${theirs}/mail`)).status).toBe(404);
    expect((await api.call('DELETE', theirs)).status).toBe(404);
    expect(
      (await api.patch(`/workspaces/${other}/members/${users.target.id}`, { role: 'viewer' }))
        .status,
    ).toBe(404);
    expect(await invitations().countDocuments({})).toBe(1);
  });
});

describe('an invitation', () => {
  const owner = () => users.owner.api;
  const invite = (email: string, role = 'member') =>
    owner().post<Invitation & ErrorBody>(`/workspaces/${ID}/invitations`, { email, role });
  const accept = ({ api }: TestUser, token: string) =>
    api.post<AcceptedInvitation & ErrorBody>('/invitations/accept', { token });
  const members = async () =>
    (await owner().get<WorkspaceMember[]>(`/workspaces/${ID}/members`)).body;
  const mailed = async (email: string) => tokenIn(await mail.mail(email, 'invited'));

  it('is mailed, accepted once by its address, and gives its role', async () => {
    const invited = await newUser();
    const sent = await invite(invited.email.toUpperCase(), 'viewer');
    expect(sent).toMatchObject({ status: 201, body: { email: invited.email, role: 'viewer' } });
    expect(JSON.stringify(sent.body)).not.toContain('token');
    const token = await mailed(invited.email);
    expect(JSON.stringify(await invitations().find().toArray())).not.toContain(token);
    const other = await accept(users.foreign, token);
    expect(other).toMatchObject({
      status: 403,
      body: { message: `This invitation is for ${invited.email[0]}…@example.com.` },
    });
    const seen = await invited.api.post<InvitationView>('/invitations/read', { token });
    expect(seen.body).toEqual({
      workspaceName: 'Owls',
      ownerName: users.owner.email,
      role: 'viewer',
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(invited, token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect((await accept(invited, token)).status).toBe(404);
    expect((await members()).filter(({ userId }) => userId === invited.id)).toMatchObject([
      { role: 'viewer', email: invited.email },
    ]);
    const workspace = await workspaces().findOne({ _id: oid(ID) });
    expect([workspace?.taken, workspace?.seats.length]).toEqual([SEATS, SEATS]);
  });

  it('does not work after seven days, when it was revoked, and in a deleted workspace', async () => {
    const invited = await newUser(INVITED);
    await invitations().updateOne({}, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect((await accept(invited, TOKEN)).status).toBe(404);
    await invitations().updateOne({}, { $set: { expiresAt: new Date(Date.now() + DAY_MS) } });
    await workspaces().deleteOne({});
    expect((await accept(invited, TOKEN)).status).toBe(404);
    expect(await memberships().countDocuments({ userId: oid(invited.id) })).toBe(0);
  });

  it('ends when it is revoked, and frees its seat', async () => {
    const invited = await newUser();
    const { body } = await invite(invited.email);
    const token = await mailed(invited.email);
    expect(await invite(newEmail())).toMatchObject({ status: 402, body: { code: 'seats_full' } });
    const gone = await owner().call('DELETE', `/workspaces/${ID}/invitations/${body.id}`);
    expect(gone.status).toBe(204);
    expect((await accept(invited, token)).status).toBe(404);
    expect((await invite(newEmail())).status).toBe(201);
  });

  it('has another link when it is sent again', async () => {
    const invited = await newUser();
    const { body } = await invite(invited.email);
    const first = await mailed(invited.email);
    await owner().post(`/workspaces/${ID}/invitations/${body.id}/mail`);
    await expect.poll(() => mailed(invited.email)).not.toBe(first);
    expect((await accept(invited, first)).status).toBe(404);
    expect((await accept(invited, await mailed(invited.email))).status).toBe(200);
  });

  it('is refused for a member and for an address with an open one', async () => {
    expect(await invite(users.viewer.email)).toMatchObject({
      status: 409,
      body: { code: 'already_member' },
    });
    expect(await invite(INVITED)).toMatchObject({ status: 409, body: { code: 'already_invited' } });
  });

  it('takes one of the free seats, also when 20 are sent at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(newEmail())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(SEATS - 6);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 402]));
  });

  it('is mailed fifty times a day at most, however many are asked for', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 1_000 && statuses.at(-1) !== 429; n += 1) {
      const { status, body } = await invite(newEmail());
      statuses.push(status);
      if (status === 201) await owner().call('DELETE', `/workspaces/${ID}/invitations/${body.id}`);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    const rest = await Promise.all(Array.from({ length: 100 }, () => invite(newEmail())));
    // 402: one that is refused holds the free seat meanwhile.
    const others = rest.filter(({ status }) => status !== 429 && status !== 402);
    expect(others.map(({ status }) => status)).toEqual([]);
    const last = await invite(newEmail());
    expect(last.status).toBe(429);
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('the ownership', () => {
  it('moves to the admin who confirms, and the former owner stays as an admin', async () => {
    const accept = `/workspaces/${ID}/transfer/accept`;
    const [first, second] = await Promise.all([
      users.admin.api.post(accept),
      users.admin.api.post(accept),
    ]);
    expect(new Set([first.status, second.status])).toEqual(new Set([204, 404]));
    const { body } = await users.admin.api.get<Workspace[]>('/workspaces');
    expect(body).toMatchObject([{ role: 'owner', closed: 'plan', transferTo: null }]);
    const theirs = await users.owner.api.get<Workspace[]>('/workspaces');
    expect(theirs.body).toMatchObject([{ role: 'admin' }]);
  });

  it('is not offered to a member, and the offer ends with the role of admin', async () => {
    const { api } = users.owner;
    const url = `/workspaces/${ID}/transfer`;
    expect((await api.post(url, { userId: users.target.id })).status).toBe(422);
    expect((await api.post(url, { userId: users.foreign.id })).status).toBe(404);
    await api.patch(`/workspaces/${ID}/members/${users.admin.id}`, { role: 'member' });
    await api.patch(`/workspaces/${ID}/members/${users.admin.id}`, { role: 'admin' });
    expect((await users.admin.api.post(`${url}/accept`)).status).toBe(404);
  });
});

describe('the pool', () => {
  const TALK = { title: 'A talk', workspaceId: ID };
  const create = ({ api }: TestUser, body: object = TALK) =>
    api.post<Conversation & ErrorBody>('/conversations', body);
  /** A conversation that the workspace pays for. */
  const start = async (user: TestUser) => (await create(user)).body.id;
  const send = ({ api }: TestUser, id: string, content = 'Hello', body = {}) =>
    api.post<SentMessage & ErrorBody>(`/conversations/${id}/messages`, { content, ...body });
  const entries = async ({ body }: { body: SentMessage }) =>
    database.collection('usage_ledger').find({ replyId: body.reply.id, kind: 'reply' }).toArray();
  const charged = async (sent: { body: SentMessage }) => {
    await expect.poll(async () => (await entries(sent)).length).toBe(1);
    const [entry] = await entries(sent);
    return {
      payer: String(entry?.ownerId),
      userId: String(entry?.userId),
      workspaceId: String(entry?.workspaceId),
      state: entry?.state,
    };
  };
  const members = async ({ api }: TestUser) =>
    (await api.get<WorkspaceMember[]>(`/workspaces/${ID}/members`)).body;
  const usageOf = async (user: TestUser, of = user) =>
    (await members(user)).find(({ userId }) => userId === of.id)?.usage;
  const setCap = ({ api }: TestUser, { id }: TestUser, cap: unknown) =>
    api.patch<ErrorBody>(`/workspaces/${ID}/members/${id}`, { cap });

  it('pays for a private conversation of a member without a plan, and for no other', async () => {
    const { member, owner } = users;
    const id = await start(member);
    const sent = await send(member, id);
    expect(sent.status).toBe(202);
    expect(await charged(sent)).toEqual({
      payer: owner.id,
      userId: member.id,
      workspaceId: ID,
      state: 'settled',
    });
    expect((await owner.api.get(`/conversations/${id}/messages`)).status).toBe(404);
    const elsewhere = (await create(member, { title: 'Own' })).body.id;
    expect(await send(member, elsewhere)).toMatchObject({
      status: 402,
      body: { code: 'subscription_required' },
    });
  });

  it('pays when the first message is sent with the conversation, regenerated and continued', async () => {
    const { member, owner } = users;
    const { status, body } = await member.api.post<CreatedConversation>('/conversations', {
      ...TALK,
      message: { content: 'Hello' },
    });
    expect(status).toBe(201);
    const { sent } = body;
    if (!sent) throw new Error('Nothing was sent.');
    expect(await charged({ body: sent })).toMatchObject({ payer: owner.id });
    const again = await member.api.post<{ reply: SentMessage['reply'] }>(
      `/replies/${sent.reply.id}/regenerate`,
      {},
    );
    expect(again.status).toBe(202);
    expect(await charged({ body: { ...sent, reply: again.body.reply } })).toMatchObject({
      payer: owner.id,
    });
    const cost = await member.api.get<ReplyUsage>(`/replies/${sent.reply.id}/usage`);
    expect(cost.body.tokens).toBeGreaterThan(0);
  });

  it.each([
    ['foreign', 404, 'not_found'],
    ['former', 404, 'not_found'],
    ['viewer', 403, 'forbidden'],
    ['guest', 404, 'not_found'],
  ] as const)('is refused to %s', async (name, status, code) => {
    for (const message of [undefined, { content: 'Hello' }])
      expect(await create(users[name], { ...TALK, message })).toMatchObject({
        status,
        body: { code },
      });
  });

  it('is refused while the workspace is closed; a stored send is answered all the same', async () => {
    const { member, owner } = users;
    const id = await start(member);
    const clientMessageId = randomUUID();
    const sent = await send(member, id, 'Hello', { clientMessageId });
    await charged(sent);
    const plans = database.collection('subscriptions');
    const plan = await plans.findOneAndDelete({ ownerId: oid(owner.id) });
    expect(await send(member, id)).toMatchObject({
      status: 403,
      body: { code: 'workspace_closed' },
    });
    expect(await create(member)).toMatchObject({ status: 403 });
    const again = await send(member, id, 'Hello', { clientMessageId });
    expect(again).toMatchObject({ status: 202, body: { reply: { id: sent.body.reply.id } } });
    if (plan) await plans.insertOne(plan);
  });

  it('does not read who pays from a body', async () => {
    const { member, owner, foreign } = users;
    const theirs = { ownerId: foreign.id, payer: { ownerId: foreign.id, userId: foreign.id } };
    const { body } = await create(member, { ...TALK, ...theirs });
    const sent = await send(member, body.id, 'Hello', { ...theirs, workspaceId: 'f'.repeat(24) });
    expect(await charged(sent)).toMatchObject({ payer: owner.id, userId: member.id });
    expect((await create(member, { ...TALK, workspaceId: { $ne: null } })).status).toBe(422);
    for (const cap of [-1, 1.5, '7', 1e12, { $gt: 0 }])
      expect((await setCap(owner, member, cap)).status).toBe(422);
    expect((await owner.api.patch(`/workspaces/${ID}/members/${member.id}`, {})).status).toBe(422);
  });

  it('pays for the reply of a member who leaves while it runs, and for nothing after that', async () => {
    const { target, owner } = users;
    const id = await start(target);
    const sent = await send(target, id, 'slow');
    await owner.api.call('DELETE', `/workspaces/${ID}/members/${target.id}`);
    expect(await charged(sent)).toMatchObject({ payer: owner.id, userId: target.id });
    expect(await send(target, id)).toMatchObject({
      status: 402,
      body: { code: 'subscription_required' },
    });
  });

  it('gives a member no more than the cap, which admins set', async () => {
    const { member, admin, owner } = users;
    const id = await start(member);
    await charged(await send(member, id));
    const { tokens = 0 } = (await usageOf(member)) ?? {};
    expect((await setCap(users.target, member, 1)).status).toBe(403);
    expect((await setCap(admin, owner, 1)).status).toBe(403);
    expect((await setCap(admin, member, tokens)).status).toBe(204);
    expect(await send(member, id)).toMatchObject({
      status: 402,
      body: {
        code: 'quota_exceeded',
        details: { memberCap: true, workspaceId: ID, used: tokens, limit: tokens },
      },
    });
    const { body } = await member.api.get<Workspace[]>('/workspaces');
    expect(body).toMatchObject([{ pool: { usedUp: 'cap' } }]);
    expect((await setCap(admin, member, null)).status).toBe(204);
    expect((await send(member, id)).status).toBe(202);
  });

  it('shows the sums of all members to admins, and to others their own', async () => {
    const { member, admin, viewer } = users;
    await charged(await send(member, await start(member)));
    const ofAdmin = await members(admin);
    expect(ofAdmin.every(({ usage }) => usage !== undefined)).toBe(true);
    const today = new Date().toISOString().slice(0, 10);
    expect(await usageOf(admin, member)).toMatchObject({ lastUsedOn: today, cap: null });
    expect(await usageOf(viewer, member)).toBeUndefined();
    const own = (await member.api.get<Usage>('/usage')).body;
    expect(own).toMatchObject({
      used: 0,
      workspaces: [{ workspaceId: ID, name: 'Owls', tokens: (await usageOf(member))?.tokens }],
    });
    const csv = async ({ api }: TestUser) =>
      (
        await fetch(`${api.url}/api/usage/ledger.csv`, {
          headers: { authorization: `Bearer ${api.token}` },
        })
      ).text();
    expect(await csv(member)).toContain(`,${ID},\r\n`);
    expect((await csv(users.owner)).trim().split('\r\n')).toHaveLength(1);
  });
});
