import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadLanguage } from '../../i18n/language.ts';
import { setTranslation } from '../../i18n/translate.ts';
import { openScreen, replyOnScreen, server, startServer, toasted } from './chat-screen.fixture.tsx';
import { makeReply, makeUserMessage } from './chat-server.fixture.ts';

beforeEach(async () => {
  startServer();
  document.documentElement.lang = 'de';
  await loadLanguage();
});

afterEach(() => {
  document.documentElement.lang = '';
  setTranslation({});
});

const box = () => screen.getByPlaceholderText<HTMLTextAreaElement>('Nachricht an STOLAS …');

it('shows the chat in the language of the user, the sentences of the server included', async () => {
  const message = 'The model provider went silent. Try again in a moment.';
  const failed = makeReply('c1', { status: 'failed', attempt: 1, content: '' });
  server.messages = {
    c1: [makeUserMessage('c1'), { ...failed, error: { code: 'provider_timeout', message } }],
  };
  await openScreen();
  await screen.findByText(/Der Modellanbieter antwortet nicht mehr/);
  expect(screen.getByRole('button', { name: 'Erneut versuchen' })).toBeTruthy();
  expect(screen.getByRole('navigation', { name: 'Unterhaltungen' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Aktionen für „Stars above the house“' })).toBeTruthy();
  expect(screen.getByText('Tarif Starter')).toBeTruthy();
});

it('writes the times of a reply with the decimal comma of German', async () => {
  const depthReceipt = {
    requested: 'balanced',
    applied: 'balanced',
    parameter: null,
    model: 'owl-1',
    reasoningTokens: null,
    firstTokenMs: 1_234,
    totalMs: 62_000,
  } as const;
  const reply = makeReply('c1', { status: 'complete', attempt: 1, metadata: { depthReceipt } });
  server.messages = { c1: [makeUserMessage('c1'), reply] };
  server.answerUsage([]);
  const user = await openScreen();
  await user.click(await screen.findByRole('button', { name: 'Details' }));
  expect(await screen.findByText('1,2 s')).toBeTruthy();
  expect(screen.getByText('62,0 s')).toBeTruthy();
});

it('knows the signs of a slow reply, which servers send in English', async () => {
  const user = await openScreen();
  const route = 'POST /api/conversations/c1/messages';
  server.answer(route, 500, { message: 'The AI is still processing your request.', code: 'slow' });
  await user.type(box(), 'Warum?{Enter}');
  await waitFor(() => expect(toasted()).toMatchObject({ title: 'Die KI arbeitet noch' }));
  expect(box().value).toBe('');
  expect(await screen.findByText('Es wird geprüft, ob sie gesendet wurde …')).toBeTruthy();
  expect(replyOnScreen()).toBeNull();
});
