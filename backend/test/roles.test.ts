import { beforeAll, describe, expect, it } from 'vitest';
import { RECORD_ROLES, type RecordRole, type WorkspaceRole } from '../src/contract/roles.ts';
import { callRoute, joinAs, type NamedRoute, namedRoutes } from './call-route.ts';
import { ownOf } from './hostile.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

// Every route of a record that can be shared and of a workspace: whoever has less than the least role for it is refused
// with 403, or with 404 when they may not even read it; whoever has enough reads it. A new route fails until it is here.

/** The least role on the record. */
const RECORD_ROUTES: Record<string, RecordRole> = {
  'DELETE /conversations/:id': 'manager',
  'DELETE /files/:id': 'manager',
  'DELETE /personas/:id': 'manager',
  'GET /conversations/:id/export': 'viewer',
  'GET /conversations/:id/grants': 'manager',
  'GET /conversations/:id/messages': 'viewer',
  'GET /conversations/:id/payer': 'editor',
  'GET /conversations/:id/people': 'editor',
  'GET /conversations/:id/shares': 'manager',
  'GET /files/:id': 'viewer',
  'GET /files/:id/grants': 'manager',
  'GET /files/:id/pages/:n': 'viewer',
  'GET /files/:id/pages/:n/marks': 'viewer',
  'GET /files/:id/pages/:n/picture': 'viewer',
  'GET /files/:id/thumbnail': 'viewer',
  'GET /personas/:id': 'viewer',
  'GET /personas/:id/export': 'editor',
  'GET /personas/:id/grants': 'manager',
  'GET /personas/:id/picture': 'viewer',
  'GET /replies/:id': 'viewer',
  'GET /replies/:id/usage': 'viewer',
  'PATCH /conversations/:id': 'manager',
  'PATCH /personas/:id': 'editor',
  'POST /conversations/:id/messages': 'editor',
  'POST /conversations/:id/restore': 'manager',
  'POST /files/:id/read': 'editor',
  'POST /personas/:id/duplicate': 'editor',
  'POST /replies/:id/check': 'editor',
  'POST /replies/:id/continue': 'editor',
  'POST /replies/:id/regenerate': 'editor',
  'POST /replies/:id/stop': 'editor',
  'PUT /conversations/:id/grants': 'manager',
  'PUT /conversations/:id/read': 'viewer',
  'PUT /files/:id/grants': 'manager',
  'PUT /personas/:id/grants': 'manager',
  'PUT /replies/:id/feedback': 'viewer',
};

/** The least role in the workspace. */
const WORKSPACE_ROUTES: Record<string, WorkspaceRole> = {
  'DELETE /workspaces/:id': 'owner',
  'DELETE /workspaces/:id/invitations/:invitationId': 'admin',
  'DELETE /workspaces/:id/members/:userId': 'admin',
  'DELETE /workspaces/:id/shares/:shareId': 'admin',
  'DELETE /workspaces/:id/transfer': 'admin',
  'GET /workspaces/:id/invitations': 'admin',
  'GET /workspaces/:id/members': 'viewer',
  'GET /workspaces/:id/members/:userId/leaving': 'admin',
  'GET /workspaces/:id/shares': 'admin',
  'PATCH /workspaces/:id': 'admin',
  'PATCH /workspaces/:id/members/:userId': 'admin',
  'POST /workspaces/:id/invitations': 'admin',
  'POST /workspaces/:id/invitations/:invitationId/mail': 'admin',
  'POST /workspaces/:id/transfer': 'owner',
  'POST /workspaces/:id/transfer/accept': 'admin',
  'PUT /workspaces/:id/domains': 'owner',
  'PUT /workspaces/:id/links': 'admin',
};

/** There may be no picture. */
const MISSING = [
  'GET /files/:id/pages/:n/picture',
  'GET /files/:id/thumbnail',
  'GET /personas/:id/picture',
];
/** Whoever knows the id of an invitation or a workspace may join, or not, by other rules. */
const BY_INVITATION = ['POST /workspaces/:id/join'];

const INPUTS: Record<string, object> = {
  'PATCH /conversations/:id': { title: 'Mine now' },
  'PATCH /workspaces/:id': { name: 'Mine now' },
  'PUT /conversations/:id/grants': { grants: [] },
  'PUT /files/:id/grants': { grants: [] },
  'PUT /personas/:id/grants': { grants: [] },
  'POST /replies/:id/regenerate': { clientReplyId: '00000000-0000-4000-8000-000000000000' },
};

const WORKSPACE_ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
const MEMBERS = ['viewer', 'member', 'admin'] as const;

let stack: Stack;
let own: Record<string, string>;
/** By role on the owner's records. They are members of the owner's workspace. */
const readers = {} as Record<RecordRole, ApiClient>;
/** By role in the owner's workspace. Nothing is shared with them. */
const members = {} as Record<(typeof MEMBERS)[number], ApiClient>;

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'They hoot.' });
  const us = visitor(stack.web.url);
  const owner = await us.subscriber('pro');
  own = await ownOf(owner);
  const workspaceId = own['workspaces'] ?? '';
  const join = async (role: (typeof MEMBERS)[number]) => {
    const api = await us.subscriber('pro');
    const userId = (await api.get<{ id: string }>('/auth/user')).body.id;
    await joinAs(role, { uri: stack.env.MONGODB_URI ?? '', workspaceId, userId });
    return { api, userId };
  };
  for (const role of MEMBERS) members[role] = (await join(role)).api;
  const grants = [];
  for (const role of RECORD_ROLES) {
    const { api, userId } = await join('member');
    readers[role] = api;
    grants.push({ userId, role });
  }
  for (const kind of ['conversations', 'personas', 'files'])
    await owner.call('PUT', `/${kind}/${own[kind]}/grants`, { grants });
});

const ROUTES = namedRoutes();
const SHARED_KINDS = /^\/(?:conversations|replies|personas|files)\/:id/;
const routeOf = (name: string) => ROUTES.find((route) => route.name === name) as NamedRoute;
const call = (api: ApiClient, name: string) =>
  callRoute(api, routeOf(name), { own, input: INPUTS[name] });

it('every route of a record that can be shared and of a workspace has its least role here', () => {
  const namesOf = (kind: RegExp) =>
    ROUTES.filter((route) => kind.test(route.path)).map(({ name }) => name);
  expect(namesOf(SHARED_KINDS).toSorted()).toEqual(Object.keys(RECORD_ROUTES).toSorted());
  expect(namesOf(/^\/workspaces\/:id/).toSorted()).toEqual(
    [...Object.keys(WORKSPACE_ROUTES), ...BY_INVITATION].toSorted(),
  );
});

describe('of a shared record', () => {
  const cases = Object.entries(RECORD_ROUTES).flatMap(([name, needed]) =>
    RECORD_ROLES.map((role) => ({ name, role, needed })),
  );
  const hasEnough = ({ role, needed }: (typeof cases)[number]) =>
    RECORD_ROLES.indexOf(role) >= RECORD_ROLES.indexOf(needed);

  it.each(cases.filter((one) => !hasEnough(one)))(
    '$name is refused to a $role',
    async ({ name, role }) => {
      expect((await call(readers[role], name)).status).toBe(403);
    },
  );

  it.each(Object.keys(RECORD_ROUTES).flatMap((name) => MEMBERS.map((role) => ({ name, role }))))(
    '$name answers 404 to a $role of a workspace with which it is not shared',
    async ({ name, role }) => {
      expect((await call(members[role], name)).status).toBe(404);
    },
  );

  // What may be changed with which role is in the tests of each feature: here the records must stay.
  it.each(cases.filter((one) => hasEnough(one) && one.name.startsWith('GET')))(
    '$name is open to a $role',
    async ({ name, role }) => {
      const { status } = await call(readers[role], name);
      const isOpen = status < 400 || (status === 404 && MISSING.includes(name));
      expect([status, isOpen]).toEqual([status, true]);
    },
  );
});

describe('of a workspace', () => {
  const cases = Object.entries(WORKSPACE_ROUTES).flatMap(([name, needed]) =>
    MEMBERS.map((role) => ({ name, role, needed })),
  );
  const isRefused = ({ role, needed }: (typeof cases)[number]) =>
    WORKSPACE_ROLES.indexOf(role) < WORKSPACE_ROLES.indexOf(needed);

  it.each(cases.filter(isRefused))('$name is refused to its $role', async ({ name, role }) => {
    expect((await call(members[role], name)).status).toBe(403);
  });
});
