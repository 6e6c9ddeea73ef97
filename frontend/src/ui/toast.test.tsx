import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { Toaster } from './toast.tsx';
import { dismissToast, toast, useToastStore } from './toast-store.ts';

afterEach(() => {
  vi.useRealTimers();
  useToastStore.setState({ current: null });
});

it('a new toast replaces the older one', () => {
  render(<Toaster />);
  act(() => void toast({ title: 'First' }));
  act(() => void toast({ title: 'Second', description: 'More words' }));
  expect(screen.queryByText('First')).toBeNull();
  expect(screen.getByText('Second')).toBeTruthy();
  expect(screen.getByText('More words')).toBeTruthy();
});

it('closes by itself after 5 s, or after its own duration', async () => {
  vi.useFakeTimers();
  render(<Toaster />);
  act(() => void toast({ title: 'Usual' }));
  await act(() => vi.advanceTimersByTimeAsync(4999));
  expect(screen.queryByText('Usual')).not.toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.queryByText('Usual')).toBeNull();

  act(() => void toast({ title: 'Slow', duration: 10_000 }));
  await act(() => vi.advanceTimersByTimeAsync(9999));
  expect(screen.queryByText('Slow')).not.toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.queryByText('Slow')).toBeNull();
});

it('is closed by its cross, and its action closes it too', async () => {
  const undo = vi.fn<() => void>();
  render(<Toaster />);
  act(() => void toast({ title: 'Deleted', action: { label: 'Undo', onSelect: undo } }));
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText('Deleted')).toBeNull();

  act(() => void toast({ title: 'Sent' }));
  await userEvent.click(screen.getByRole('button', { name: 'Close notification' }));
  expect(screen.queryByText('Sent')).toBeNull();
});

it('dismissing an older toast leaves the one that took its place', () => {
  render(<Toaster />);
  let first = 0;
  act(() => {
    first = toast({ title: 'First' });
    toast({ title: 'Second' });
  });
  act(() => dismissToast(first));
  expect(screen.getByText('Second')).toBeTruthy();
});
