import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { writeSetting } from '../../lib/page-settings.fixture.ts';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { MailedLink } from './mailed-link.tsx';

const CALL =
  'GET /api/auth/mailed-link?email=ada%40example.com&page=reset-password&since=2026-01-01T00%3A00%3A00.000Z';

let server: ReturnType<typeof fakeServer>;
beforeEach(() => {
  server = fakeServer({ [CALL]: { body: { path: '/reset-password#token=x' } } });
});

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <MailedLink email="ada@example.com" page="reset-password" since={new Date('2026-01-01')} />
    </QueryClientProvider>,
  );

it('asks for no link where the server sends mails, as in production', () => {
  const { container } = show();
  expect(container.textContent).toBe('');
  expect(server.asked).toEqual([]);
});

it('shows the link where mails stay on this machine', async () => {
  writeSetting('mails', 'folder');
  show();
  const link = await screen.findByRole('link', { name: 'Open the Link' });
  expect(link.getAttribute('href')).toBe('/reset-password#token=x');
});
