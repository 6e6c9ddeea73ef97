import { act, render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { loadedLater } from './loaded-later.tsx';

class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render = () => (this.state.failed ? <p role="alert">failed</p> : this.props.children);
}

const Part = () => <p>the part</p>;
const settle = () => act(async () => undefined);

it('shows the fallback while its code is loaded, and none when it was preloaded', async () => {
  const load = vi.fn<() => Promise<typeof Part>>(async () => Part);
  const Later = loadedLater(load, <p>a moment</p>);
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
  const load = vi
    .fn<() => Promise<typeof Part>>(async () => Part)
    .mockRejectedValueOnce(new TypeError('no network'));
  const Later = loadedLater(load, <p>a moment</p>);
  render(<Later />);
  await settle();
  expect(screen.getByText('a moment')).toBeDefined();
  online.mockReturnValue(true);
  window.dispatchEvent(new Event('online'));
  await screen.findByText('the part');
});

it('gives any other failure to the error boundary', async () => {
  // React logs the error that the boundary caught.
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Later = loadedLater(() => Promise.reject(new Error('404')), <p>a moment</p>);
  render(
    <Boundary>
      <Later />
    </Boundary>,
  );
  expect(await screen.findByRole('alert')).toBeDefined();
  log.mockReset();
});
