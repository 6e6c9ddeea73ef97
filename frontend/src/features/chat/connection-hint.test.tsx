import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { resetLiveStore, setConnection } from '../../realtime/reply-store.ts';
import { ConnectionHint } from './connection-hint.tsx';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  resetLiveStore();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const hint = () => screen.getByRole('status').textContent;

it('is shown when the socket is missing from the start of the page', async () => {
  render(<ConnectionHint />);
  await wait(1_499);
  expect(hint()).toBe('');
  await wait(1);
  expect(hint()).toBe('Reconnecting…');
  act(() => setConnection('connected'));
  expect(hint()).toBe('');
});

it('says that replies are polled while the server answers without a socket', async () => {
  render(<ConnectionHint />);
  act(() => setConnection('polling'));
  await wait(1_500);
  expect(hint()).toBe('Live updates are blocked. Checking every few seconds.');
});

it('leaves an offline browser to the offline notice', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  render(<ConnectionHint />);
  act(() => setConnection('disconnected'));
  await wait(10_000);
  expect(hint()).toBe('');
});
