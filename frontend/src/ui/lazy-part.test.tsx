import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ComponentType } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lazyPart } from './lazy-part.tsx';

const Part = () => <p>the part</p>;
type Load = () => Promise<ComponentType<object>>;
const missing = () => Promise.reject(new Error('404'));
/** Longer than all attempts. */
const GIVEN_UP_MS = 5_000;
const NEW_VERSION = /A new version is available/;

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('shows the fallback while its code is loaded, and none when it was preloaded', async () => {
  const load = vi.fn<Load>(async () => Part);
  const Later = lazyPart(load, { fallback: <p>a moment</p> });
  const { unmount } = render(<Later />);
  expect(screen.getByText('a moment')).toBeDefined();
  await screen.findByText('the part');
  unmount();
  render(<Later />);
  expect(screen.queryByText('a moment')).toBeNull();
  expect(load).toHaveBeenCalledOnce();
});

it('loads what failed offline as soon as the browser is online', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const load = vi.fn<Load>(async () => Part).mockImplementationOnce(missing);
  const Later = lazyPart(load, { fallback: <p>a moment</p> });
  render(<Later />);
  await pass(GIVEN_UP_MS);
  expect(screen.getByText('a moment')).toBeDefined();
  online.mockReturnValue(true);
  window.dispatchEvent(new Event('online'));
  expect(await screen.findByText('the part')).toBeDefined();
});

describe('fault 32: code that cannot be loaded', () => {
  it('is tried again', async () => {
    const load = vi.fn<Load>(async () => Part);
    load.mockImplementationOnce(missing).mockImplementationOnce(missing);
    const Later = lazyPart(load, { fallback: <p>a moment</p> });
    render(<Later />);
    await pass(GIVEN_UP_MS);
    expect(screen.getByText('the part')).toBeDefined();
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('leaves a note in the place of the part, and everything else as it is', async () => {
    const load = vi.fn<Load>(missing);
    const Later = lazyPart(load);
    render(
      <>
        <textarea defaultValue="unsent text" />
        <Later />
      </>,
    );
    await pass(GIVEN_UP_MS);
    expect(screen.getByRole('status').textContent).toBe('A new version is available. Reload');
    expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('unsent text');
  });

  it('reloads the page only by the button', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    const Later = lazyPart(missing);
    render(<Later />);
    await pass(GIVEN_UP_MS);
    expect(reload).not.toHaveBeenCalled();
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime.bind(vi) });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('is loaded when the part is shown the next time', async () => {
    const load = vi.fn<Load>(missing);
    const Later = lazyPart(load);
    const { unmount } = render(<Later />);
    await pass(GIVEN_UP_MS);
    unmount();
    load.mockImplementation(async () => Part);
    render(<Later />);
    expect(await screen.findByText('the part')).toBeDefined();
  });

  it('is asked for once by all places that show it', async () => {
    const load = vi.fn<Load>(missing);
    const Later = lazyPart(load);
    render(
      <>
        <Later />
        <Later />
      </>,
    );
    await pass(GIVEN_UP_MS);
    expect(load).toHaveBeenCalledTimes(3);
    expect(screen.getAllByText(NEW_VERSION)).toHaveLength(2);
  });

  it('leaves a usable fallback without a note', async () => {
    const Later = lazyPart(missing, { fallback: <code>x^2</code>, missing: 'fallback' });
    render(<Later />);
    await pass(GIVEN_UP_MS);
    expect(screen.getByText('x^2')).toBeDefined();
    expect(screen.queryByText(NEW_VERSION)).toBeNull();
  });

  it('of a dialog leaves a floating note that can be closed', async () => {
    const Dialog = lazyPart(missing, { fallback: <h1>Title</h1>, missing: 'floating' });
    const onClose = vi.fn<() => void>();
    render(<Dialog onClose={onClose} />);
    await pass(GIVEN_UP_MS);
    expect(screen.getByText('Title')).toBeDefined();
    expect(screen.getByText(NEW_VERSION)).toBeDefined();
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime.bind(vi) });
    await user.click(screen.getByRole('button', { name: 'Close notification' }));
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('of a page leaves the page empty but for the note', async () => {
    const Page = lazyPart(missing, { missing: 'page' });
    render(<Page />);
    await pass(GIVEN_UP_MS);
    expect(screen.getByRole('main').textContent).toBe('A new version is available.Reload');
  });

  it('asks for a stylesheet again that failed', async () => {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'stylesheet', href: 'http://localhost/assets/part-1.css' });
    document.head.append(link);
    const load = vi.fn<Load>(async () => Part);
    load.mockRejectedValueOnce(new Error(`Unable to preload CSS for ${link.href}`));
    const Later = lazyPart(load);
    render(<Later />);
    await pass(GIVEN_UP_MS);
    // Vite makes the element again when there is none.
    expect(link.isConnected).toBe(false);
    expect(screen.getByText('the part')).toBeDefined();
  });
});

it('keeps an error of the part from the rest of the page', async () => {
  // React logs the error that the boundary caught.
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Later = lazyPart(async () => (): never => {
    throw new Error('a bug');
  });
  render(
    <>
      <textarea defaultValue="unsent text" />
      <Later />
    </>,
  );
  await screen.findByText(/This part could not be shown/);
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('unsent text');
  log.mockReset();
});
