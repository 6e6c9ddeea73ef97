import type { SendMessageBody } from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { composer, openScreen, server, startServer } from '../chat-screen.fixture.tsx';
import { conversation, makeSent, makeThread, makeUserMessage } from '../chat-server.fixture.ts';
import { pinMessage, unpinMessage } from '../sending/pinned.ts';

beforeEach(() => {
  startServer();
  server.conversations.push(conversation('c2', 'Bread'));
  server.messages = {
    c1: makeThread('First', 'One.'),
    c2: [makeUserMessage('c2', { id: 'n1', content: 'Flour' })],
  };
});
/** The text of the messages below whose top a view of room is reserved. */
const reserved = () =>
  [...document.querySelectorAll('[data-reserved]')].map(
    (room) =>
      room.parentElement?.querySelector('[data-role=user] p, [data-role=user] div')?.textContent,
  );

it('reserves room below the message that was sent last, and for none in a conversation that is opened', async () => {
  const user = await openScreen();
  await screen.findByText('One.');
  expect(reserved()).toEqual([]);
  await user.type(composer(), 'Second{Enter}');
  await waitFor(() => expect(reserved()).toEqual(['Second']));
  await user.click(screen.getByRole('link', { name: /Bread/ }));
  await screen.findByText('Flour');
  expect(reserved()).toEqual([]);
  await user.click(screen.getByRole('link', { name: /Stars above the house/ }));
  await screen.findByText('Second');
  expect(reserved()).toEqual([]);
});

it('reserves room below the message whose reply is generated again', async () => {
  const user = await openScreen();
  await screen.findByText('One.');
  const reply = document.querySelector<HTMLElement>('[data-message-id=r1]');
  await user.click(within(reply ?? document.body).getByRole('button', { name: 'Regenerate' }));
  await waitFor(() => expect(reserved()).toEqual(['First']));
});

it('keeps the room of the former message until the next one is in the thread', async () => {
  const user = await openScreen();
  await screen.findByText('One.');
  await user.type(composer(), 'Second{Enter}');
  await waitFor(() => expect(reserved()).toEqual(['Second']));
  act(() => pinMessage('not-in-the-thread-yet'));
  expect(reserved()).toEqual(['Second']);
  act(unpinMessage);
  expect(reserved()).toEqual([]);
});

it('reserves room below an edited message once it is in the thread', async () => {
  const user = await openScreen();
  await screen.findByText('One.');
  const release = server.hold('POST /api/conversations/c1/messages');
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  await user.type(screen.getByRole('textbox', { name: 'Edit message' }), '!{Enter}');
  await waitFor(() => expect(server.posted('/api/conversations/c1/messages')).toHaveLength(1));
  expect(reserved()).toEqual([]);
  release();
  await waitFor(() => expect(reserved()).toEqual(['First!']));
});

it('shows a sent message at each moment while it is accepted', async () => {
  const accept = server.hold('POST /api/conversations/c1/messages');
  const user = await openScreen();
  await user.type(composer(), 'Second{Enter}');
  await screen.findByText('Second');
  const missing: string[] = [];
  const watch = new MutationObserver(() => {
    const shown = document.querySelector('[data-messages]')?.textContent ?? '';
    if (!shown.includes('Second')) missing.push(shown);
  });
  watch.observe(document.body, { childList: true, subtree: true });
  const { clientMessageId } = server.posted('/api/conversations/c1/messages')[0] as SendMessageBody;
  const sent = { content: 'Second', parentId: 'r1', clientMessageId: clientMessageId ?? '', n: 2 };
  // As in a browser: everything that `act` encloses is drawn at once.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  server.push('message:created', makeSent('c1', sent));
  await waitFor(() => expect(document.querySelector('[data-message-id=m2]')).not.toBeNull());
  watch.disconnect();
  accept();
  expect(missing).toEqual([]);
});
