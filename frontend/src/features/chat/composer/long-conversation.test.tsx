import type { ContextReceipt, Conversation, LedgerLine, User } from '@stolas/backend/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../../../lib/query-client.ts';
import { openScreen, server, startServer, toasted } from '../chat-screen.fixture.tsx';
import { completeReply, ledgerLine, makeUserMessage } from '../chat-server.fixture.ts';

const LONG = 'Owls hoot. '.repeat(2_000);
const USAGE = {
  used: 0,
  reserved: 0,
  limit: 200_000,
  tokensPerMessage: 1_700,
  resetsAt: null,
};
const BUTTON = { name: 'New chat with a summary' };

beforeEach(startServer);
const line = (fields: Partial<LedgerLine> = {}) =>
  ledgerLine({ promptTokens: 11_000, completionTokens: 950, tokens: 11_950, ...fields });

interface Opened {
  content?: string;
  entries?: LedgerLine[];
  user?: Partial<User>;
  receipt?: ContextReceipt;
  parentId?: string | null;
}

/** Opens a conversation with one reply, as a subscriber who has used none of 200,000 tokens. */
function open({ content = LONG, entries = [line()], user, receipt, parentId = null }: Opened = {}) {
  server.user = { ...server.user, usage: USAGE, ...user };
  server.messages = {
    c1: [
      makeUserMessage('c1', { parentId }),
      completeReply(content, receipt && { metadata: { contextReceipt: receipt } }),
    ],
  };
  server.answerUsage(entries);
  return openScreen();
}
/** Gives the conversation these fields. */
const change = (fields: Partial<Conversation>) => Object.assign(server.conversations[0]!, fields);
const shown = () => document.querySelector('[data-message-cost]')?.textContent;

it('says what a message costs and how many more fit', async () => {
  await open({ entries: [line(), line({ kind: 'memory', tokens: 900 })] });
  await screen.findByRole('button', BUTTON);
  expect(shown()).toContain('A message here costs about 12,000 tokens. 16 more fit in what you');
});

it('does not count what is left of the own plan where a workspace pays', async () => {
  const pool = { id: 'a'.repeat(24), name: 'Owls', closed: null, pool: { usedUp: null } };
  server.answer('GET /api/workspaces', 200, [pool]);
  change({ workspaceId: pool.id });
  await open();
  await screen.findByRole('button', BUTTON);
  expect(shown()).toMatch(/^A message here costs about 12,000 tokens\. ?New chat/);
});

it('offers no summary of a conversation of somebody else', async () => {
  change({ shared: { role: 'editor', owner: { id: 'b'.repeat(24), name: 'Ben' } } });
  await open();
  await waitFor(() => expect(shown()).toContain('16 more fit'));
  expect(screen.queryByRole('button', BUTTON)).toBeNull();
});

it.each([
  ['the tokens of the plan', { ...USAGE, used: 190_000 }],
  [
    'the own cap',
    { ...USAGE, cap: { used: 1_000, limit: 5_000, resetsAt: '2026-11-23T00:00:00.000Z' } },
  ],
])('says that the reply will be short when less is left of %s', async (_what, usage) => {
  await open({ user: { usage } });
  await screen.findByRole('button', BUTTON);
  expect(shown()).toContain('You have fewer tokens left, so the reply will be short.');
});

it('shows nothing where a message costs little, as most of a long prompt was cached', async () => {
  await open({ entries: [line({ cachedTokens: 10_000, tokens: 2_950 })] });
  await waitFor(() => expect(server.usageReads).toBe(1));
  expect(shown()).toBeUndefined();
});

it.each([
  ['all messages are loaded', null, 0],
  ['earlier messages are not loaded', 'm0', 1],
])(
  'does not take a summary of another conversation for its own length when %s',
  async (_, parentId, asks) => {
    const receipt = { budgetTokens: 16_000, parts: [{ part: 'history' as const, tokens: 15_000 }] };
    await open({ content: 'Owls hoot.', receipt, parentId });
    await screen.findByText('Owls hoot.');
    await act(() => vi.dynamicImportSettled());
    await waitFor(() => expect(server.usageReads).toBe(asks));
  },
);

it('asks for nothing in a short conversation', async () => {
  await open({ content: 'Vega.' });
  await screen.findByText('Vega.');
  expect(server.usageReads).toBe(0);
});

it('informs a guest only when the tokens end before the messages do', async () => {
  const demo = { messagesLeft: 10, messageLimit: 20, tokensLeft: 50_000, tokenLimit: 100_000 };
  const guest = { subscriptionStatus: 'guest' as const, subscriptionPlan: null };
  await open({
    entries: [line({ tokens: 4_800 })],
    user: { ...guest, demo, usage: undefined as never },
  });
  await waitFor(() => expect(server.usageReads).toBe(1));
  expect(shown()).toBeUndefined();
});

it('starts a new chat with a summary, with the same choices, and opens it', async () => {
  const panel = { synthesis: true };
  change({ personaId: 'f'.repeat(24), panel, depth: 'deep', memory: 'off' });
  const user = await open();
  await user.click(await screen.findByRole('button', BUTTON));
  await waitFor(() => expect(location.search).toBe('?c=made'));
  expect(server.posted('/api/conversations')).toMatchObject([
    {
      title: 'Continued: Stars above the house',
      memory: 'off',
      temporary: false,
      message: {
        content: 'Summarise our conversation “Stars above the house” so that we can go on here.',
        personaId: 'f'.repeat(24),
        panel: { synthesis: true },
        depth: 'deep',
        summaryOf: 'c1',
      },
    },
  ]);
});

it('stays, and says why, when the new chat is refused', async () => {
  const user = await open();
  server.answer('POST /api/conversations', 404, { message: 'Not found.', code: 'not_found' });
  await user.click(await screen.findByRole('button', BUTTON));
  await waitFor(() => expect(toasted()?.description).toBe('Not found.'));
  expect(location.search).toBe('?c=c1');
});

it('starts one new chat although its answer was lost at first', async () => {
  const user = await open();
  const reach = server.fetch;
  let lost: unknown;
  vi.stubGlobal('fetch', async (path: string, init?: { method?: string; body?: string }) => {
    if (init?.method !== 'POST') return reach(path, init);
    lost = JSON.parse(init.body ?? '');
    throw new TypeError('Failed to fetch');
  });
  await user.click(await screen.findByRole('button', BUTTON));
  await waitFor(() => expect(toasted()).not.toBeNull());
  vi.stubGlobal('fetch', reach);
  await user.click(screen.getByRole('button', BUTTON));
  await waitFor(() => expect(location.search).toBe('?c=made'));
  expect(server.posted('/api/conversations')).toEqual([lost]);
});

it('does not open the new chat when the user has gone elsewhere meanwhile', async () => {
  const user = await open();
  const release = server.hold('POST /api/conversations');
  await user.click(await screen.findByRole('button', BUTTON));
  act(() => navigate('/settings'));
  release();
  await waitFor(() => expect(queryClient.isMutating()).toBe(0));
  expect(location.pathname).toBe('/settings');
});
