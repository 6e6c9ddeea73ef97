import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectMongo } from '../src/db/mongo.ts';
import { BEGINNING, bodyOf, declaredRoutes, ENDING, inputOf, ownOf, queryOf } from './hostile.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

// Every route that the code declares: without a session, for a guest, for a subscriber who owns none of the records
// that are named, and for one who could manage them until they were private again. A new route is refused without a
// session and for the records of others, or it is named here. What people with a role may do is tested in
// sharing.test.ts, shared-records.test.ts, workspaces.test.ts and shares.test.ts.
const SOURCES = path.join(import.meta.dirname, '../src/features');

/** These work without a session. */
const OPEN = [
  'GET /auth/google',
  'GET /auth/google/callback',
  'GET /auth/mailed-link',
  'GET /auth/options',
  'GET /login',
  'GET /login/callback',
  'GET /plans',
  'GET /privacy',
  'GET /shares/:id',
  'POST /auth/email/confirm',
  'POST /auth/google',
  'POST /auth/google/start',
  'POST /auth/guest',
  'POST /auth/password/forgot',
  'POST /auth/password/reset',
  'POST /auth/register',
  'POST /auth/signout',
  // Each needs the secret of a mail, a link or a signature.
  'GET /deletions/:id',
  'GET /shares/:id/files/:ref',
  'POST /stripe/webhook',
];

/** These tell guests to create an account. */
const REGISTERED = [
  'DELETE /auth/email/pending',
  'GET /billing/preview',
  'PATCH /auth/user',
  'POST /auth/email',
  'POST /auth/email/resend',
  'POST /auth/password',
  'POST /conversations/import',
  'POST /invitations/accept',
  'POST /invitations/read',
  'POST /shares',
  'POST /shares/:id/continue',
  'POST /shares/preview',
  'POST /stripe/checkout',
  'POST /stripe/upgrade',
  'POST /workspaces',
  'POST /workspaces/:id/join',
  'PUT /conversations/:id/grants',
  'PUT /files/:id/grants',
  'PUT /personas/:id/grants',
  'PUT /usage/cap',
];

/** A public link opens for others, who may copy it as it is. */
const SHARED: Record<string, number> = { 'GET /shares/:id': 200, 'POST /shares/:id/continue': 409 };

const KEY = `users/${'a'.repeat(24)}/uploads/${'b'.repeat(8)}`;
/** Inputs that name records of others, or that no schema describes. */
const INPUTS: Record<string, () => object> = {
  'PUT /conversations/:id/grants': () => ({ grants: [] }),
  'PUT /files/:id/grants': () => ({ grants: [] }),
  'PUT /personas/:id/grants': () => ({ grants: [] }),
  'POST /shares': () => ({ conversationId: own.conversations }),
  'POST /shares/preview': () => ({ conversationId: own.conversations, include: {} }),
  'POST /conversations/estimate': () => ({ content: 'x', personaIds: [own.personas] }),
  'GET /s3/multipart/:uploadId': () => ({ key: KEY }),
  'GET /s3/multipart/:uploadId/:partNumber': () => ({ key: KEY }),
  'POST /s3/multipart/:uploadId/complete': () => ({
    key: KEY,
    parts: [{ PartNumber: 1, ETag: 'x' }],
  }),
  'DELETE /s3/multipart/:uploadId': () => ({ key: KEY }),
};
const NAMES_OTHERS = new Set(Object.keys(INPUTS));

type Actor = 'nobody' | 'guest' | 'foreign' | 'former';
let stack: Stack;
let own: Record<string, string>;
const apis = {} as Record<Actor, ApiClient>;

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'They hoot.' });
  const us = visitor(stack.web.url);
  const owner = await us.subscriber('pro');
  own = await ownOf(owner);
  apis.nobody = us.as('wrong');
  apis.guest = await us.guest();
  apis.foreign = await us.subscriber('pro');
  apis.former = await us.subscriber('pro');
  await shareForAWhile(owner, apis.former);
});

const RECORDS = ['conversations', 'personas', 'files'] as const;
const SECRETS = ['needle', 'They hoot.', 'owl.txt'];
/** The public link that the former manager has made. */
let managersLink = '';

/** The owner's records are managed by the other user, who looks at all of them, and are private again. */
async function shareForAWhile(owner: ApiClient, other: ApiClient) {
  const database = await connectMongo(stack.env.MONGODB_URI ?? '');
  const { id: userId } = (await other.get<{ id: string }>('/auth/user')).body;
  const oid = (id = '') => database.base.Types.ObjectId.createFromHexString(id);
  const place = { workspaceId: oid(own['workspaces']), userId: oid(userId) };
  const memberships = database.collection('memberships');
  await memberships.insertOne({ ...place, role: 'member', joinedAt: new Date() });
  const share = (kind: string, grants: object[]) =>
    owner.call('PUT', `/${kind}/${own[kind]}/grants`, { grants });
  for (const kind of RECORDS)
    expect((await share(kind, [{ userId, role: 'manager' }])).status).toBe(200);
  const texts = await Promise.all(
    [`/conversations/${own['conversations']}/messages`, '/search?q=needle', '/files'].map(
      async (address) => JSON.stringify((await other.get(address)).body),
    ),
  );
  for (const [at, secret] of ['They hoot.', 'needle', 'owl.txt'].entries())
    expect(texts[at]).toContain(secret);
  const link = { conversationId: own['conversations'] };
  managersLink = (await other.post<{ id: string }>('/shares', link)).body.id;
  expect((await other.get(`/shares/${managersLink}`)).status).toBe(200);
  for (const kind of RECORDS) expect((await share(kind, [])).status).toBe(200);
  await memberships.deleteOne(place);
  await database.close();
}

const ROUTES = declaredRoutes(SOURCES).map((route) => ({
  ...route,
  name: `${route.method} ${route.path}`,
}));
type Route = (typeof ROUTES)[number];

/** Calls the route with the records of another user. */
async function call(actor: Actor, route: Route) {
  const address = route.path
    .replace(':id', own[route.path.split('/')[1] ?? ''] ?? 'a'.repeat(24))
    .replace(/:(n|partNumber)$|:n(?=\/)/, '1')
    .replace(/:\w+/g, 'a'.repeat(24));
  const { url, token } = apis[actor];
  const { name, method } = route;
  const input = INPUTS[name]?.() ?? inputOf(route);
  const inUrl = method === 'GET' || route.path.startsWith('/s3/');
  const answer = await fetch(`${url}/api${address}${inUrl ? `?${queryOf(input)}` : ''}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: bodyOf(input) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Whether an actor may get this status. */
function isRight(actor: Actor, { name, path: route }: Route, status: number): boolean {
  if (actor === 'nobody') return (status === 401) !== OPEN.includes(name);
  const shared = SHARED[name];
  if (actor === 'guest' && REGISTERED.includes(name)) return status === 403 || status === 404;
  if (shared) return status === shared;
  if (route.includes(':') || NAMES_OTHERS.has(name)) return status === 404;
  return status !== 401;
}

describe('the doors of the product', () => {
  it('are all there, and no list here names one that is not', () => {
    const names = ROUTES.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(120);
    const listed = [...OPEN, ...REGISTERED, ...Object.keys(SHARED), ...NAMES_OTHERS];
    expect(listed.filter((name) => !names.includes(name))).toEqual([]);
  });

  const IN_A_SESSION = ROUTES.filter(({ name }) => !ENDING.has(name) && !BEGINNING.has(name));
  const CALLS = [
    ...ROUTES.map((route) => ({ route, actor: 'nobody' as const })),
    ...(['guest', 'foreign', 'former'] as const).flatMap((actor) =>
      IN_A_SESSION.map((route) => ({ route, actor })),
    ),
  ];

  it.each(CALLS)('$route.name as $actor', async ({ route, actor }) => {
    const { status, text } = await call(actor, route);
    expect([status, isRight(actor, route, status)]).toEqual([status, true]);
    const secrets = SHARED[route.name] ? [] : SECRETS;
    expect(secrets.filter((it) => text.includes(it))).toEqual([]);
  });

  it('show nothing of what was shared once to a search, in a list and by a link', async () => {
    const { former } = apis;
    for (const address of ['/search?q=needle', '/search?q=hoot', '/files', '/conversations']) {
      const { status, body } = await former.get(address);
      expect(status).toBe(200);
      for (const secret of [...SECRETS, own['conversations'] ?? ''])
        expect(JSON.stringify(body)).not.toContain(secret);
    }
    expect((await former.get(`/shares/${managersLink}`)).status).toBe(410);
    expect((await apis.nobody.get(`/shares/${managersLink}`)).status).toBe(410);
  });
});
