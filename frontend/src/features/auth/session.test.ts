import { expect, it, vi } from 'vitest';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testUser } from '../../lib/user.fixture.ts';
import { endSession, finishSignOut, register, signOut, startGuest } from './session.ts';

it.each([
  ['the server agrees', { body: {} }],
  ['the server fails', { status: 500, body: {} }],
  ['the network is away', 'no network'],
] as const)('signing out ends the session here when %s', async (_when, answer) => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const kept = new Set(['assets']);
  vi.stubGlobal('caches', {
    keys: async () => [...kept],
    delete: async (name: string) => kept.delete(name),
  });
  fakeServer({ 'POST /api/auth/signout': answer });
  setAuthToken('one');
  sessionStorage.setItem('draft', 'secret');

  await signOut();

  expect(getAuthToken()).toBeNull();
  expect(sessionStorage.length).toBe(0);
  expect(kept.size).toBe(0);
  expect(assign).toHaveBeenCalledWith('/login');
});

it('a sign-out that did not reach the server is carried out later, once', async () => {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const { answers, asked } = fakeServer({ 'POST /api/auth/signout': 'no network' });
  setAuthToken('one');
  await signOut();
  await finishSignOut();
  answers['POST /api/auth/signout'] = { body: {} };
  await finishSignOut();
  await finishSignOut();
  expect(asked).toHaveLength(3);
});

it.each([
  ['a guest', startGuest, 'POST /api/auth/guest'],
  [
    'a new user',
    () =>
      register(
        { email: 'ada@example.com', password: 'secret stars', firstName: '', lastName: '' },
        '/',
      ),
    'POST /api/auth/register',
  ],
])('%s begins after the former session has ended on the server', async (_who, begin, call) => {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const { answers, asked } = fakeServer({
    'POST /api/auth/signout': 'no network',
    'GET /api/auth/user': { body: testUser() },
    [call]: { body: { token: 'two' } },
  });
  setAuthToken('one');
  await signOut();
  answers['POST /api/auth/signout'] = { body: {} };
  await begin();
  expect(asked.slice(1, 3).map((one) => one.call)).toEqual(['POST /api/auth/signout', call]);
});

it('a sign-out that did not reach the server never ends the next session', async () => {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const { asked } = fakeServer({
    'POST /api/auth/signout': 'no network',
    'POST /api/auth/guest': { body: { token: 'two' } },
    'GET /api/auth/user': { body: testUser() },
  });
  setAuthToken('one');
  await signOut();
  await startGuest();
  const before = asked.length;
  await finishSignOut();
  expect(asked).toHaveLength(before);
});

it('signing out removes the drafts of this user only, and no stars', async () => {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  fakeServer({ 'POST /api/auth/signout': { body: {} } });
  setAuthToken('one');
  queryClient.setQueryData(userQuery.queryKey, testUser({ id: 'u1' }));
  const keys = ['draft:u1:c1', 'draft:u1:c2', 'stars:u1', 'draft:u10:c1', 'stars:u2', 'theme'];
  for (const key of keys) localStorage.setItem(key, 'x');
  await signOut();
  expect(keys.filter((key) => localStorage.getItem(key) !== null)).toEqual([
    'stars:u1',
    'draft:u10:c1',
    'stars:u2',
    'theme',
  ]);
});

it('signing out removes them before it loads a page, also when the end is reported before the answer', async () => {
  const left: unknown[] = [];
  vi.spyOn(window.location, 'assign').mockImplementation(() => {
    left.push(localStorage.getItem('draft:u1:c1'));
  });
  vi.stubGlobal('fetch', async () => {
    await endSession();
    return new Response('{}');
  });
  setAuthToken('one');
  queryClient.setQueryData(userQuery.queryKey, testUser({ id: 'u1' }));
  localStorage.setItem('draft:u1:c1', 'x');
  await signOut();
  expect(left).toEqual([null]);
  expect(getAuthToken()).toBeNull();
});

it('an expired session keeps the drafts', async () => {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  setAuthToken('one');
  queryClient.setQueryData(userQuery.queryKey, testUser({ id: 'u1' }));
  localStorage.setItem('draft:u1:c1', 'x');
  await endSession();
  expect(getAuthToken()).toBeNull();
  expect(localStorage.getItem('draft:u1:c1')).toBe('x');
});
