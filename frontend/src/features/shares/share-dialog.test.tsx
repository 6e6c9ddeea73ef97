import type { ConversationShare, SharePreview } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { Toaster } from '../../ui/toast.tsx';
import { CopyAddress } from './copy-address.tsx';
import type { ShareTarget } from './dialog-store.ts';
import { ShareDialog } from './share-dialog.tsx';

const LINKS = 'GET /api/conversations/c1/shares';
const HOUR_MS = 3_600_000;
const PREVIEW: SharePreview = {
  title: 'Owls',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'What do owls do?' }] }],
  isCut: false,
  revision: 'one',
  quoting: 0,
};

const linkOf = (ownerName: string, fields: Partial<ConversationShare>): ConversationShare => ({
  id: ownerName,
  url: `https://stolas.example/s/${ownerName}`,
  ownerName,
  title: 'Owls',
  of: 'conversation',
  kind: 'snapshot',
  audience: 'anyone',
  include: { files: false, names: false, reasoning: false },
  createdAt: '2026-11-22T10:00:00.000Z',
  expiresAt: '2026-12-22T12:00:00.000Z',
  openings: 0,
  lastOpenedAt: null,
  ...fields,
});
const lastOpenedAt = new Date(Date.now() - 2.5 * HOUR_MS).toISOString();
const ADAS = linkOf('Ada', { openings: 1_204, lastOpenedAt });
const GRACES = linkOf('Grace', { of: 'reply', title: 'Hawks' });

function open(shares: ConversationShare[], target: ShareTarget = { conversationId: 'c1' }) {
  const server = fakeServer({
    'GET /api/workspaces': { body: [] },
    'POST /api/shares/preview': { body: PREVIEW },
    [LINKS]: { body: shares },
  });
  render(
    <QueryClientProvider client={queryClient}>
      <ShareDialog target={target} onClose={() => undefined} />
      <Toaster />
    </QueryClientProvider>,
  );
  return server;
}

afterEach(() => {
  vi.useRealTimers();
});

const list = () => screen.queryByRole('region', { name: 'Links to this conversation' });
const links = () =>
  within(list() ?? document.createElement('p'))
    .queryAllByRole('listitem')
    .map((item) => [...item.querySelectorAll('p')].map(({ textContent }) => textContent));
const revoke = (title: string) =>
  userEvent.click(screen.getByRole('button', { name: `Revoke the link to ${title}` }));

const ROWS = {
  ada: ['Owls', 'Ada · until December 22, 2026', 'Opened 1,204 times, last 2 hours ago'],
  grace: ['Reply in: Hawks', 'Grace · until December 22, 2026', 'Not opened yet'],
};

it('copies the address of a link, and shows so for two seconds', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  render(<CopyAddress address={ADAS.url} />);
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await navigator.clipboard.readText()).toBe(ADAS.url);
  expect(screen.getByRole('button', { name: 'Copied' })).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(2_500));
  expect(screen.getByRole('button', { name: 'Copy' })).toBeTruthy();
});

describe('the links to a conversation', () => {
  it('are listed with who made each, until when it works and how often it was opened', async () => {
    open([ADAS, GRACES, linkOf('Linus', { openings: 1, lastOpenedAt })]);
    await waitFor(() =>
      expect(links()).toEqual([
        ROWS.ada,
        ROWS.grace,
        ['Owls', 'Linus · until December 22, 2026', 'Opened 1 time, last 2 hours ago'],
      ]),
    );
  });

  it('are ended one by one, also those of others', async () => {
    const { answers, asked } = open([ADAS, GRACES]);
    await waitFor(() => expect(links()).toHaveLength(2));
    Object.assign(answers, { 'DELETE /api/shares/Grace': {}, [LINKS]: { body: [ADAS] } });
    await revoke('Hawks');
    await waitFor(() => expect(links()).toEqual([ROWS.ada]));
    Object.assign(answers, { 'DELETE /api/shares/Ada': {}, [LINKS]: { body: [] } });
    await revoke('Owls');
    await waitFor(() => expect(list()).toBeNull());
    const ended = asked.map(({ call }) => call).filter((call) => call.startsWith('DELETE'));
    expect(ended).toEqual(['DELETE /api/shares/Grace', 'DELETE /api/shares/Ada']);
  });

  it('stay when they could not be ended, and the reason is said', async () => {
    const { answers } = open([ADAS]);
    await waitFor(() => expect(links()).toEqual([ROWS.ada]));
    answers['DELETE /api/shares/Ada'] = {
      status: 403,
      body: { code: 'forbidden', message: 'Only managers may end it.' },
    };
    await revoke('Owls');
    expect(await screen.findByText('The link was not revoked')).toBeTruthy();
    expect(screen.getByText('Only managers may end it.')).toBeTruthy();
    expect(links()).toEqual([ROWS.ada]);
  });

  it('are not listed, nor read, in the dialog of one reply', async () => {
    const { asked } = open([ADAS], { replyId: 'r1' });
    await screen.findByText('What do owls do?');
    expect(list()).toBeNull();
    expect(asked.map(({ call }) => call)).not.toContain(LINKS);
  });
});
