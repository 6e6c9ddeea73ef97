import type { DataExport } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { live } from '../../realtime/index.ts';
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

beforeEach(() => queryClient.clear());

function show(made: DataExport | null) {
  const server = fakeServer({
    'GET /api/account/export': { body: { export: made } },
    'POST /api/account/export': { status: 202, body: { export: QUEUED } },
  });
  render(
    <QueryClientProvider client={queryClient}>
      <DataExportSection />
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
