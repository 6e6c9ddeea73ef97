import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Toaster } from './toast.tsx';
import {
  anchorBar,
  anchorLasting,
  anchorNotices,
  dismissToast,
  toast,
  useToastStore,
} from './toast-store.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('at most 1 shown at a time; a new one replaces the older', () => {
  render(<Toaster />);
  act(() => void toast({ title: 'First' }));
  act(() => void toast({ title: 'Second', description: 'More words', variant: 'destructive' }));
  expect(screen.queryByText('First')).toBeNull();
  expect(screen.getByText('Second')).toBeTruthy();
  expect(screen.getByText('More words')).toBeTruthy();
});

it('auto-close 5000 ms, or after its own duration', async () => {
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

it('Dismissed ones close at once and are removed after 1,000,000 ms', async () => {
  vi.useFakeTimers();
  render(<Toaster />);
  let id = 0;
  act(() => {
    id = toast({ title: 'Sent' });
  });
  act(() => dismissToast(id));
  expect(screen.queryByText('Sent')).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(999_999));
  expect(useToastStore.getState().current?.id).toBe(id);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(useToastStore.getState().current).toBeNull();
});

describe('a notice with an action', () => {
  const offer = (title: string) =>
    act(() => void toast({ title, action: { label: 'Undo', onSelect: () => {} } }));
  const shown = () => useToastStore.getState().current?.title;

  it('stays until it is dismissed, by its cross or by Escape', async () => {
    vi.useFakeTimers();
    render(<Toaster />);
    offer('Attached');
    await act(() => vi.advanceTimersByTimeAsync(600_000));
    expect(screen.getByText('Attached')).toBeTruthy();
    vi.useRealTimers();
    await userEvent.click(screen.getByRole('button', { name: 'Close notification' }));
    expect(screen.queryByText('Attached')).toBeNull();
    offer('Attached');
    screen.getByRole('button', { name: 'Undo' }).focus();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByText('Attached')).toBeNull();
  });

  it('comes back after the notice that replaced it, unless that was of its kind', async () => {
    vi.useFakeTimers();
    render(<Toaster />);
    offer('Attached');
    offer('Attached');
    act(() => void toast({ title: 'Message sent' }));
    expect(screen.queryByText('Attached')).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(screen.getByText('Attached')).toBeTruthy();
    act(() => dismissToast(useToastStore.getState().current?.id ?? 0));
    expect(screen.queryByText('Attached')).toBeNull();
  });

  it('is one of three at most, and can be closed while it waits', () => {
    render(<Toaster />);
    for (const title of ['A', 'B', 'C', 'D']) offer(title);
    const [waiting] = useToastStore.getState().waiting.filter(({ title }) => title === 'C');
    act(() => dismissToast(waiting?.id ?? 0));
    const seen: (string | undefined)[] = [];
    for (let at = 0; at < 2; at += 1) {
      seen.push(shown());
      act(() => dismissToast(useToastStore.getState().current?.id ?? 0));
    }
    expect(seen).toEqual(['D', 'B']);
    expect(useToastStore.getState().current?.open).toBe(false);
  });

  it('with a duration of its own ends with what it offers', async () => {
    vi.useFakeTimers();
    render(<Toaster />);
    act(
      () =>
        void toast({
          title: 'Deleted',
          duration: 5000,
          action: { label: 'Undo', onSelect: () => {} },
        }),
    );
    act(() => void toast({ title: 'Message sent' }));
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(screen.queryByText('Deleted')).toBeNull();
  });
});

it('its action closes it, and an error is closed by its cross', async () => {
  const undo = vi.fn<() => void>();
  render(<Toaster />);
  act(() => void toast({ title: 'Deleted', action: { label: 'Undo', onSelect: undo } }));
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText('Deleted')).toBeNull();

  act(() => void toast({ title: 'Error', variant: 'destructive' }));
  await userEvent.click(screen.getByRole('button', { name: 'Close notification' }));
  expect(screen.queryByText('Error')).toBeNull();
});

it('hotkey F8 moves the focus to the notice, and Escape closes it', async () => {
  render(<Toaster />);
  act(() => void toast({ title: 'Copied to clipboard' }));
  await userEvent.keyboard('{F8}');
  expect(document.activeElement?.textContent).toContain('Copied to clipboard');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByText('Copied to clipboard')).toBeNull();
});

it('a success lets clicks through and has no control; with an action it has', () => {
  render(<Toaster />);
  act(() => void toast({ title: 'Message sent' }));
  const places = () => document.querySelector('ol')?.className.split(' ');
  expect(places()).toContain('pointer-events-none');
  expect(screen.queryByRole('button')).toBeNull();
  expect(document.querySelector('li')?.className).not.toContain('pointer-events-auto');
  act(() => void toast({ title: 'Deleted', action: { label: 'Undo', onSelect: () => {} } }));
  expect(document.querySelector('li')?.className).toContain('pointer-events-auto');
});

it('stands 12 px above the composer, and an error below the bar at the top', () => {
  const box = { left: 400, width: 700, right: 1440, top: 790, bottom: 56 };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(box as DOMRect);
  window.innerHeight = 900;
  render(
    <>
      <header ref={anchorBar} />
      <form ref={(form) => (form ? anchorNotices(form) : undefined)} />
      <Toaster />
    </>,
  );
  act(() => void toast({ title: 'Message sent' }));
  const style = () => document.querySelector('ol')?.style;
  expect(style()).toMatchObject({ left: '400px', width: '700px', bottom: '122px' });
  act(() => void toast({ title: 'Error', variant: 'destructive' }));
  expect(style()).toMatchObject({ top: '64px' });
});

it('an error after a change of page stands below the bar of the new page', () => {
  const bottoms: Record<string, number> = { chat: 56, files: 48 };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function box(
    this: HTMLElement,
  ) {
    return { top: 0, right: 700, bottom: bottoms[this.id] ?? 0 } as DOMRect;
  });
  const page = (bar: string | undefined) => (
    <>
      {bar && <header key={bar} id={bar} ref={anchorBar} />}
      <Toaster />
    </>
  );
  const { rerender } = render(page('chat'));
  const style = () => document.querySelector('ol')?.style;
  const fail = () => act(() => dismissToast(toast({ title: 'Error', variant: 'destructive' })));
  fail();
  expect(style()).toMatchObject({ top: '64px', right: '100px' });
  rerender(page('files'));
  fail();
  expect(style()).toMatchObject({ top: '56px', right: '100px' });
  rerender(page(undefined));
  fail();
  expect(style()).toMatchObject({ top: '', right: '' });
});

it('an error that lasts stands in the room that the page has for it; others and later ones stand at the top', () => {
  const page = (room: boolean) => (
    <>
      {room && <div data-testid="room" ref={anchorLasting} />}
      <Toaster />
    </>
  );
  const { rerender } = render(page(true));
  act(() => void toast({ title: 'Offline', variant: 'destructive', duration: Infinity }));
  expect(screen.getByTestId('room').textContent).toContain('Offline');
  expect(document.querySelector('ol')?.className).not.toContain('fixed');
  act(() => void toast({ title: 'Error', variant: 'destructive' }));
  expect(screen.getByTestId('room').textContent).toBe('');
  act(() => void toast({ title: 'Offline', variant: 'destructive', duration: Infinity }));
  rerender(page(false));
  expect(screen.getByText('Offline')).toBeTruthy();
  expect(document.querySelector('ol')?.className).toContain('fixed');
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
