import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from './api.ts';
import {
  type AuthEvent,
  getAuthToken,
  removeAuthToken,
  setAuthToken,
  subscribeAuth,
} from './auth-token.ts';
import { queryClient, userQuery } from './query-client.ts';
import { readItem, writeItem } from './storage.ts';
import { testUser } from './user.fixture.ts';

// Another tab, as the browser sees it.
let otherTab: BroadcastChannel;
let heard: AuthEvent[];

beforeEach(() => {
  heard = [];
  otherTab = new BroadcastChannel('auth');
  otherTab.addEventListener('message', ({ data }: MessageEvent<{ type: AuthEvent }>) =>
    heard.push(data.type),
  );
});
afterEach(() => otherTab.close());

it('a new token clears fetched data and session storage, and notifies other tabs', async () => {
  queryClient.setQueryData(['conversations'], ['another user']);
  sessionStorage.setItem('draft', 'another user');
  setAuthToken('one');
  expect(getAuthToken()).toBe('one');
  expect(localStorage.getItem('authToken')).toBe('one');
  expect(queryClient.getQueryData(['conversations'])).toBeUndefined();
  expect(sessionStorage.length).toBe(0);
  await expect.poll(() => heard).toEqual(['signed-in']);
});

it('the same token again changes nothing', async () => {
  setAuthToken('one');
  queryClient.setQueryData(['conversations'], ['mine']);
  setAuthToken('one');
  expect(queryClient.getQueryData(['conversations'])).toEqual(['mine']);
  removeAuthToken();
  await expect.poll(() => heard).toEqual(['signed-in', 'signed-out']);
});

it('removing the token clears the same and notifies other tabs of the sign-out', async () => {
  setAuthToken('one');
  queryClient.setQueryData(['conversations'], ['mine']);
  removeAuthToken();
  expect(getAuthToken()).toBeNull();
  expect(queryClient.getQueryData(['conversations'])).toBeUndefined();
  await expect.poll(() => heard).toContain('signed-out');
});

it('a page that the browser has kept notices that its session has ended or changed', () => {
  const noticed: AuthEvent[] = [];
  const end = subscribeAuth((event) => noticed.push(event));
  const leave = () => window.dispatchEvent(new Event('pagehide'));
  const comeBack = (persisted = true) =>
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
  setAuthToken('one');
  queryClient.setQueryData(userQuery.queryKey, testUser());
  leave();
  comeBack();
  expect(noticed).toEqual([]);
  leave();
  localStorage.setItem('authToken', 'two');
  comeBack(false);
  expect(noticed).toEqual([]);
  comeBack();
  expect(noticed).toEqual(['signed-in']);
  // By this page itself, just before it was left.
  removeAuthToken();
  leave();
  comeBack();
  expect(noticed).toEqual(['signed-in', 'signed-out']);
  // A page that shows no user.
  queryClient.setQueryData(userQuery.queryKey, null);
  leave();
  comeBack();
  end();
  localStorage.setItem('authToken', 'three');
  comeBack();
  expect(noticed).toHaveLength(2);
});

it('keeps a value until reload when the browser refuses storage', () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  writeItem('x', '1');
  expect(readItem('x')).toBe('1');
  setAuthToken('private');
  expect(getAuthToken()).toBe('private');
  removeAuthToken();
  expect(getAuthToken()).toBeNull();
});

it('requests the user once more after a failure, but not from a server that was busy for long', () => {
  const { retry } = userQuery;
  if (typeof retry !== 'function') throw new Error('It depends on the error.');
  expect(retry(0, new TypeError('No network.'))).toBe(true);
  expect(retry(1, new TypeError('No network.'))).toBe(false);
  expect(retry(0, new ApiError(503, '', '2'))).toBe(false);
});

it('requests the user again on every mount and never by itself', () => {
  expect(userQuery).toMatchObject({ staleTime: 0, gcTime: 0, refetchOnMount: true });
  expect(queryClient.getDefaultOptions().queries).toMatchObject({
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
});
