import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { BrokenScreen } from './broken-screen.tsx';

function Broken(): never {
  throw new Error('a bug');
}

it('shows a screen with a reload button instead of a broken one', async () => {
  // React logs the error that the boundary caught.
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  render(
    <ErrorBoundary instead={<BrokenScreen />}>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByText('Something went wrong')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Reload' }));
  expect(reload).toHaveBeenCalledOnce();
  log.mockReset();
});
