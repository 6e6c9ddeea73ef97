import type { DepthReceipt, LedgerLine, ReplyUsage } from '@stolas/backend/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { makeRoom, openScreen, startServer } from '../chat-screen.fixture.tsx';
import { makeReply, makeUserMessage, type TestServer } from '../chat-server.fixture.ts';

const route = 'GET /api/replies/r1/usage';
let server: TestServer;

beforeAll(makeRoom);

beforeEach(() => {
  server = startServer();
  const reply = makeReply('c1', { status: 'complete', attempt: 2, content: 'Vega.' });
  server.messages = { c1: [makeUserMessage('c1'), reply] };
});

const line = (fields: Partial<LedgerLine>): LedgerLine => ({
  attempt: 1,
  kind: 'reply',
  state: 'settled',
  model: 'owl-1',
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  at: '2026-11-22T10:00:00.000Z',
  tokens: (fields.promptTokens ?? 0) + (fields.completionTokens ?? 0),
  ...fields,
});
const answer = (tokens: number, entries: LedgerLine[]) => {
  const usage: ReplyUsage = { replyId: 'r1', tokens, entries };
  server.answer(route, 200, usage);
};
const asked = () => server.requests.filter(({ path }) => path.endsWith('/usage')).length;
const button = () => screen.getByRole('button', { name: 'Details' });
const panel = () => screen.findByRole('dialog', { name: 'Details of this reply' });
/** The lines of the panel, each as 'term value'. */
const lines = async () => {
  const dialog = await panel();
  const terms = await within(dialog).findAllByRole('term');
  return terms.map((term) => `${term.textContent} ${term.nextElementSibling?.textContent}`);
};
/** Gives the reply on the screen a receipt of its depth. */
function giveReceipt(
  fields: Pick<DepthReceipt, 'requested' | 'applied' | 'parameter'> & Partial<DepthReceipt>,
): void {
  const [, reply] = server.messages['c1'] ?? [];
  const times = { reasoningTokens: null, firstTokenMs: 10, totalMs: 20 };
  if (reply) reply.metadata = { depthReceipt: { model: 'owl-1', ...times, ...fields } };
}
async function open() {
  const user = await openScreen(server);
  await screen.findByText('Vega.');
  await user.click(button());
  return user;
}

it('shows model, prompt, reply and total, and asks for them only when it is opened', async () => {
  const usage = { promptTokens: 1_200, cachedTokens: 1_024, completionTokens: 80 };
  answer(1_280, [line({ ...usage, reasoningTokens: 30 })]);
  const user = await openScreen(server);
  await screen.findByText('Vega.');
  expect(asked()).toBe(0);
  await user.click(button());
  expect(await lines()).toEqual([
    'Model owl-1',
    'Prompt 1,2001,024 cached',
    'Reply 8030 reasoning',
    'Total tokens 1,280',
  ]);
  expect(asked()).toBe(1);
});

it('says that cached tokens count less, and what was left out of the prompt', async () => {
  const usage = { promptTokens: 1_200, cachedTokens: 1_000, completionTokens: 80 };
  answer(380, [line({ ...usage, tokens: 380 })]);
  const [, reply] = server.messages['c1'] ?? [];
  const history = { part: 'history' as const, tokens: 3_000, cut: 'Some.', leftOut: 12 };
  if (reply) reply.metadata = { contextReceipt: { budgetTokens: 4_000, parts: [history] } };
  await open();
  expect((await lines()).at(-1)).toBe('Total tokens 380Cached tokens count less');
  expect(within(await panel()).getByText(/^12 earlier messages were not sent:/)).toBeTruthy();
  expect(screen.getByText('12 earlier messages are not sent')).toBeTruthy();
});

it.each([
  { requested: 'deep', name: 'Deep', times: 2 },
  { requested: 'balanced', name: 'Balanced', times: 1 },
] as const)('says that the model took no depth: $name', async ({ requested, name, times }) => {
  giveReceipt({ requested, applied: 'default', parameter: null });
  answer(0, []);
  await open();
  const said = `${name} was requested; the model used its own default.`;
  expect(within(await panel()).getByText(said)).toBeTruthy();
  await waitFor(() => expect(screen.getAllByText(said)).toHaveLength(times));
});

it('says that the model of the persona is not offered any more, in details and below the reply', async () => {
  giveReceipt({
    requested: 'balanced',
    applied: 'balanced',
    requestedModel: 'owl-0',
    parameter: 'effort: medium',
  });
  answer(0, []);
  await open();
  await panel();
  const said = 'The persona names the model owl-0, which is no longer offered; owl-1 replied.';
  await waitFor(() => expect(screen.getAllByText(said)).toHaveLength(2));
});

it('lists several attempts, and background calls by kind', async () => {
  answer(170, [
    line({ state: 'released' }),
    line({ attempt: 2, promptTokens: 100, completionTokens: 20 }),
    line({ kind: 'memory', promptTokens: 30, completionTokens: 5 }),
    line({ kind: 'memory', promptTokens: 10, completionTokens: 5 }),
    line({ kind: 'check', state: 'released' }),
  ]);
  await open();
  expect(await lines()).toEqual([
    'Model owl-1',
    'Prompt 100',
    'Reply 20',
    'Attempt 1 not charged',
    'Attempt 2 120',
    'Memory 50',
    'Total tokens 170',
  ]);
});

it('says so while an attempt is not settled yet', async () => {
  answer(0, [line({ state: 'reserved', model: null })]);
  await open();
  expect(await screen.findByText('The tokens of this reply are still being counted.')).toBeTruthy();
});

it('is opened and closed by keyboard, and the focus returns to its button', async () => {
  answer(0, []);
  const user = await openScreen(server);
  await screen.findByText('Vega.');
  button().focus();
  await user.keyboard('{Enter}');
  const dialog = await panel();
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  expect(button().getAttribute('aria-expanded')).toBe('true');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(button()));
});

it('is closed by the button that opened it', async () => {
  answer(0, []);
  const user = await open();
  await panel();
  await user.click(button());
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('offers to try again when it could not be read', async () => {
  server.answer(route, 503, { message: 'Later.', code: 'unavailable' });
  const user = await open();
  const again = await screen.findByRole('button', { name: 'Try again' });
  answer(5, [line({ promptTokens: 5 })]);
  await user.click(again);
  expect(await lines()).toContain('Total tokens 5');
});
