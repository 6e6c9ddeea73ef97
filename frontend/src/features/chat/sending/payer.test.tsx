import type { User, Workspace } from '@stolas/backend/contract';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { formatShortDay } from '../../../lib/time.ts';
import { composer, openScreen, server, startServer, toasted } from '../chat-screen.fixture.tsx';
import { conversation } from '../chat-server.fixture.ts';

const IN_A_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString();
const OWLS: Workspace = {
  id: 'a'.repeat(24),
  name: 'Owls',
  role: 'member',
  seats: { included: 5, taken: 2 },
  owner: { id: 'x', name: 'Ada' },
  closed: null,
  transferTo: null,
  allowLinks: true,
  pool: { usedUp: null, resetsAt: IN_A_WEEK },
};

beforeEach(startServer);

/** Opens a stored conversation that the workspace pays for, or a new one. */
const open = (
  workspace: Partial<Workspace> = {},
  { address = '/?c=c1', ...user }: Partial<User> & { address?: string } = {},
) => {
  server.user = { ...server.user, ...user };
  server.answer('GET /api/workspaces', 200, [{ ...OWLS, ...workspace }]);
  server.conversations = [{ ...conversation('c1', 'Stars above the house'), workspaceId: OWLS.id }];
  return openScreen(address);
};
const WITHOUT_PLAN = { subscriptionStatus: null, subscriptionPlan: null, hasPool: true } as const;
const choice = () =>
  screen.findByRole<HTMLSelectElement>('combobox', { name: 'Who pays for this conversation' });
const created = () => server.posted('/api/conversations');

it('the composer says who pays, also to a member without a plan', async () => {
  const user = await open({}, WITHOUT_PLAN);
  expect(await screen.findByText('Owls pays')).toBeTruthy();
  await user.type(composer(), 'Hello{Enter}');
  await waitFor(() => expect(server.posted('/api/conversations/c1/messages')).toHaveLength(1));
});

it('a new conversation is paid by the chosen workspace, and the next one by the own plan again', async () => {
  const user = await open({}, { address: '/?c=new' });
  expect((await choice()).value).toBe('');
  await user.selectOptions(await choice(), 'Owls pays');
  await user.type(composer(), 'Hello{Enter}');
  await waitFor(() => expect(created()).toMatchObject([{ workspaceId: OWLS.id }]));
});

it('is still paid by the chosen workspace when its first message waited and was cancelled', async () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const user = await open({}, { address: '/?c=new' });
  await user.selectOptions(await choice(), 'Owls pays');
  await user.type(composer(), 'Hello{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect((await choice()).value).toBe(OWLS.id);
  isOnline.mockRestore();
  await user.type(composer(), '{Enter}');
  await waitFor(() => expect(created()).toMatchObject([{ workspaceId: OWLS.id }]));
});

it('a new conversation of a member without a plan is paid by the workspace', async () => {
  const user = await open({}, { ...WITHOUT_PLAN, address: '/?c=new' });
  expect((await choice()).value).toBe(OWLS.id);
  await user.type(composer(), 'Hello{Enter}');
  await waitFor(() => expect(created()).toMatchObject([{ workspaceId: OWLS.id }]));
});

it('is paid by the own plan when nothing is chosen, and offers nothing to viewers', async () => {
  const user = await open({ role: 'viewer' }, { address: '/?c=new' });
  await user.type(composer(), 'Hello{Enter}');
  await waitFor(() => expect(created()).toHaveLength(1));
  expect(created()[0]).not.toHaveProperty('workspaceId');
  expect(screen.queryByRole('combobox', { name: 'Who pays for this conversation' })).toBeNull();
});

it.each<[string, Partial<Workspace>, string]>([
  [
    'the tokens of the workspace are used up',
    { pool: { usedUp: 'pool', resetsAt: IN_A_WEEK } },
    `The workspace's tokens are used up until ${formatShortDay(IN_A_WEEK)}.`,
  ],
  [
    'the share of the member is used up',
    { pool: { usedUp: 'cap', resetsAt: IN_A_WEEK } },
    `Your share of the workspace's tokens is used up until ${formatShortDay(IN_A_WEEK)}.`,
  ],
  [
    'the workspace is read-only',
    { closed: 'plan' },
    'The workspace is read-only now. Everything is kept.',
  ],
])('when %s, a sentence takes the place of the composer', async (_what, workspace, sentence) => {
  await open(workspace);
  expect(await screen.findByText(sentence)).toBeTruthy();
  expect(screen.queryByPlaceholderText('Message STOLAS...')).toBeNull();
});

it('a refused send says so, and the state of the pool is read again', async () => {
  const user = await open();
  await screen.findByText('Owls pays');
  server.answer('POST /api/conversations/c1/messages', 402, {
    message: 'Used up.',
    code: 'quota_exceeded',
    details: { workspaceId: OWLS.id, resetsAt: IN_A_WEEK },
  });
  server.answer('GET /api/workspaces', 200, [
    { ...OWLS, pool: { usedUp: 'pool', resetsAt: IN_A_WEEK } },
  ]);
  await user.type(composer(), 'One more{Enter}');
  const sentence = `The workspace's tokens are used up until ${formatShortDay(IN_A_WEEK)}.`;
  await waitFor(() => expect(toasted()?.description).toBe(sentence));
  expect(toasted()?.action).toBeUndefined();
  expect(await screen.findByText(sentence, { selector: '[data-composer] *, p *' })).toBeTruthy();
  expect(composer().value).toBe('One more');
});
