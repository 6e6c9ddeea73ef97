import { expect, it, vi } from 'vitest';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { signOut } from './session.ts';

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
