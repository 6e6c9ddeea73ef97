import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { ConnectionNotice } from './connection-notice.tsx';

afterEach(() => void vi.useRealTimers());

it('stays while offline, then says for 3 s that the connection is back', async () => {
  vi.useFakeTimers();
  render(<ConnectionNotice />);
  expect(screen.getByRole('status').textContent).toBe('');

  act(() => void window.dispatchEvent(new Event('offline')));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.getByText(/You are offline/)).toBeTruthy();

  act(() => void window.dispatchEvent(new Event('online')));
  expect(screen.queryByText(/You are offline/)).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(2999));
  expect(screen.getByText('You are back online.')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.getByRole('status').textContent).toBe('');
});
