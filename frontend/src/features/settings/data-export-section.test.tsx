import type { DataExport } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testGuest, testUser } from '../../lib/user.fixture.ts';
import { live } from '../../realtime/index.ts';
import { Toaster } from '../../ui/toast.tsx';
import { DataExportSection } from './data-export-section.tsx';

const QUEUED: DataExport = {
  id: 'e1',
  state: 'queued',
  progress: { done: 0, total: 0 },
  requestedAt: '2026-11-22T10:00:00.000Z',
};
const READY: DataExport = {
  ...QUEUED,
  state: 'ready',
  progress: { done: 4, total: 4 },
  size: 2_048,
  expiresAt: '2026-11-23T10:00:00.000Z',
};

function show(made: DataExport | null, user = testGuest()) {
  const server = fakeServer({
    'GET /api/account/export': { body: { export: made } },
    'POST /api/account/export': { status: 202, body: { export: QUEUED } },
    'POST /api/account/export/address': { body: { url: '/zip', expiresInSeconds: 1 } },
  });
  render(
    <QueryClientProvider client={queryClient}>
      <DataExportSection user={user} />
      <Toaster />
    </QueryClientProvider>,
  );
  return server;
}

it('asks for an export, shows its pushed progress, then offers the download', async () => {
  show(null);
  await userEvent.click(await screen.findByRole('button', { name: 'Export your data' }));
  await screen.findByText('Collecting your data…');
  act(() =>
    live.handlers['export:changed']({
      ...QUEUED,
      state: 'running',
      progress: { done: 1, total: 4 },
    }),
  );
  await screen.findByText('1 of 4 files');
  expect(screen.getByRole('progressbar')).toHaveProperty('value', 1);
  act(() => live.handlers['export:changed'](READY));
  await screen.findByRole('button', { name: 'Download' });
  await screen.findByText(/^Ready: 2 KB\. It is erased on /);
});

it('says that an export has failed, and that there are too many', async () => {
  const server = show({ ...QUEUED, state: 'failed' });
  await screen.findByText('The export could not be made. Try again.');
  server.answers['POST /api/account/export'] = {
    status: 429,
    body: { code: 'too_many_requests', message: 'Too many requests. Try again later.' },
  };
  await userEvent.click(screen.getByRole('button', { name: 'Export your data' }));
  expect(await screen.findByText('Too many requests. Try again later.')).toBeDefined();
});

it.each([
  ['Export again', 'POST /api/account/export', 'Export your data'],
  ['Download', 'POST /api/account/export/address', 'Download'],
])('%s asks a user for the password first', async (button, call, action) => {
  const leaving = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const server = show(READY, testUser());
  const asked = () => server.asked.filter((one) => one.call === call).map(({ body }) => body);
  const done = server.answers[call];
  server.answers[call] = {
    status: 422,
    body: { message: 'Not it.', code: 'invalid_field', details: { field: 'currentPassword' } },
  };
  await userEvent.click(await screen.findByRole('button', { name: button }));
  expect(asked()).toEqual([]);
  const dialog = within(screen.getByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Current password'), 'guess');
  await userEvent.click(dialog.getByRole('button', { name: action }));
  expect(await dialog.findByText('Not it.')).toBeDefined();
  server.answers[call] = done ?? {};
  await userEvent.click(dialog.getByRole('button', { name: action }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked()).toEqual([{ currentPassword: 'guess' }, { currentPassword: 'guess' }]);
  expect(leaving.mock.calls).toEqual(button === 'Download' ? [['/zip']] : []);
});

it('an account without a password signs in again first', async () => {
  const server = show(null, testUser({ hasPassword: false, signInProviders: ['google'] }));
  server.answers['POST /api/account/export'] = {
    status: 403,
    body: { code: 'reauthentication_required', message: 'Sign in again to do this.' },
  };
  await userEvent.click(await screen.findByRole('button', { name: 'Export your data' }));
  const dialog = within(screen.getByRole('dialog'));
  expect(dialog.queryByLabelText('Current password')).toBeNull();
  await userEvent.click(dialog.getByRole('button', { name: 'Export your data' }));
  expect(await dialog.findByRole('button', { name: 'Sign In Again with Google' })).toBeDefined();
});
