import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patiently } from '../lib/patience.ts';
import { Toaster } from '../ui/toast.tsx';
import { dismissToast, toast } from '../ui/toast-store.ts';
import { followConnection, followPatience } from './connection-notice.ts';

const OFFLINE = 'You are offline. What you write is kept in this browser.';
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  render(<Toaster />);
  end = followConnection();
});

afterEach(() => {
  end();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const dispatch = (event: string) => act(() => void window.dispatchEvent(new Event(event)));
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = (text: string) => screen.queryByText(text, { selector: 'li *' }) !== null;

it('Going offline shows an error notice until back online', async () => {
  dispatch('offline');
  await wait(60_000);
  expect(shown(OFFLINE)).toBe(true);
  dispatch('online');
  expect(shown(OFFLINE)).toBe(false);
});

it('back online shows a success notice for 3 s', async () => {
  dispatch('offline');
  dispatch('online');
  await wait(2999);
  expect(shown('You are back online.')).toBe(true);
  await wait(1);
  expect(shown('You are back online.')).toBe(false);
});

it('online check 3 s after start', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await wait(2999);
  expect(shown(OFFLINE)).toBe(false);
  await wait(1);
  expect(shown(OFFLINE)).toBe(true);
});

it('the offline notice returns when the notice that replaced it has closed', () => {
  dispatch('offline');
  let id = 0;
  act(() => {
    id = toast({ title: 'Copied to clipboard' });
  });
  expect(shown(OFFLINE)).toBe(false);
  act(() => dismissToast(id));
  expect(shown(OFFLINE)).toBe(true);
});

it('the offline notice comes before one with an action that waits', async () => {
  act(() => void toast({ title: 'Attached', action: { label: 'Undo', onSelect: () => {} } }));
  dispatch('offline');
  act(() => void toast({ title: 'Copied to clipboard' }));
  await wait(5000);
  expect(shown(OFFLINE)).toBe(true);
  dispatch('online');
  await wait(3000);
  expect(shown('Attached')).toBe(true);
});

it('says while a call waits for a busy server, and ends the wait when the user says so', async () => {
  const unfollow = followPatience();
  const BUSY = 'STOLAS cannot answer yet. Trying again.';
  const refusal = new Error('Busy.');
  let answer = (): Promise<string> => Promise.reject(refusal);
  const call = () => patiently(() => answer(), { pauseAfter: () => 2_000 });
  const first = call();
  await wait(10_000);
  expect(shown(BUSY)).toBe(true);
  answer = async () => 'late';
  await wait(2_000);
  expect(await first).toBe('late');
  expect(shown(BUSY)).toBe(false);

  answer = () => Promise.reject(refusal);
  const second = call().catch((error: unknown) => error);
  await wait(1_000);
  fireEvent.click(screen.getByRole('button', { name: 'Stop waiting' }));
  expect(await second).toBe(refusal);
  expect(shown(BUSY)).toBe(false);
  unfollow();
});
