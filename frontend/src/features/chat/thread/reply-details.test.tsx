import type { DepthReceipt } from '@stolas/backend/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { openScreen, server, startServer } from '../chat-screen.fixture.tsx';
import { ledgerLine, makeReply, makeUserMessage } from '../chat-server.fixture.ts';

const route = 'GET /api/replies/r1/usage';

beforeEach(() => {
  startServer();
  const reply = makeReply('c1', { status: 'complete', attempt: 2, content: 'Vega.' });
  server.messages = { c1: [makeUserMessage('c1'), reply] };
});

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
  const user = await openScreen();
  await screen.findByText('Vega.');
  await user.click(button());
  return user;
}

it('shows model, prompt, reply and total, and asks for them only when it is opened', async () => {
  const usage = { promptTokens: 1_200, cachedTokens: 1_024, completionTokens: 80 };
  server.answerUsage([ledgerLine({ ...usage, reasoningTokens: 30 })], 1_280);
  const user = await openScreen();
  await screen.findByText('Vega.');
  expect(server.usageReads).toBe(0);
  await user.click(button());
  expect(await lines()).toEqual([
    'Model owl-1',
    'Prompt 1,2001,024 cached',
    'Reply 8030 reasoning',
    'Total tokens 1,280',
  ]);
  expect(server.usageReads).toBe(1);
});

it('says that cached tokens count less, and what was left out of the prompt', async () => {
  const usage = { promptTokens: 1_200, cachedTokens: 1_000, completionTokens: 80 };
  server.answerUsage([ledgerLine({ ...usage, tokens: 380 })], 380);
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
  server.answerUsage([]);
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
  server.answerUsage([]);
  await open();
  await panel();
  const said = 'The persona names the model owl-0, which is no longer offered; owl-1 replied.';
  await waitFor(() => expect(screen.getAllByText(said)).toHaveLength(2));
});

it('lists several attempts, and background calls by kind', async () => {
  server.answerUsage(
    [
      ledgerLine({ state: 'released' }),
      ledgerLine({ attempt: 2, promptTokens: 100, completionTokens: 20 }),
      ledgerLine({ kind: 'memory', promptTokens: 30, completionTokens: 5 }),
      ledgerLine({ kind: 'memory', promptTokens: 10, completionTokens: 5 }),
      ledgerLine({ kind: 'check', state: 'released' }),
    ],
    170,
  );
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
  server.answerUsage([ledgerLine({ state: 'reserved', model: null })]);
  await open();
  expect(await screen.findByText('The tokens of this reply are still being counted.')).toBeTruthy();
});

it('is opened and closed by keyboard, and the focus returns to its button', async () => {
  server.answerUsage([]);
  const user = await openScreen();
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
  server.answerUsage([]);
  const user = await open();
  await panel();
  await user.click(button());
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('offers to try again when it could not be read', async () => {
  server.answer(route, 503, { message: 'Later.', code: 'unavailable' });
  const user = await open();
  const again = await screen.findByRole('button', { name: 'Try again' });
  server.answerUsage([ledgerLine({ promptTokens: 5 })], 5);
  await user.click(again);
  expect(await lines()).toContain('Total tokens 5');
});
