import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import { makeThread } from '../chat-server.fixture.ts';

const route = '/api/conversations/c1/messages';

beforeEach(startServer);

const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send message' });

it('asks the server before it draws what was sent', async () => {
  const user = await openScreen();
  await user.type(composer(), 'Hello');
  const { fetch } = globalThis;
  const request = vi.spyOn(globalThis, 'fetch');
  const inBox: string[] = [];
  request.mockImplementation((...call) => {
    inBox.push(composer().value);
    return fetch(...call);
  });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(server.posted(route)).toHaveLength(1));
  request.mockRestore();
  expect(inBox[0]).toBe('Hello');
  expect(composer().value).toBe('');
});

describe('a long text', () => {
  it('is kept, counted, and not sent while it is too long', async () => {
    const user = await openScreen();
    fireEvent.change(composer(), { target: { value: 'x'.repeat(200_000) } });
    expect(composer().value).toHaveLength(200_000);
    expect(
      screen.getByText(
        'This message is 168,000 characters too long to send. Shorten it, or send it in parts of at most 32,000 characters.',
      ),
    ).toBeTruthy();
    expect(sendButton().disabled).toBe(true);
    expect(composer().getAttribute('aria-invalid')).toBe('true');
    await user.type(composer(), '{Enter}');
    expect(server.posted(route)).toEqual([]);
    expect(composer().value).toHaveLength(200_000);
  });

  it('is sent when it has exactly the allowed length', async () => {
    const user = await openScreen();
    await user.click(composer());
    await user.paste('x'.repeat(MAX_MESSAGE_LENGTH));
    expect(screen.getByText('32,000 of 32,000 characters')).toBeTruthy();
    await user.click(sendButton());
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)).toMatchObject([{ content: 'x'.repeat(MAX_MESSAGE_LENGTH) }]);
  });

  it('is not counted while it is short', async () => {
    const user = await openScreen();
    await user.type(composer(), 'short');
    expect(screen.queryByText(/characters/)).toBeNull();
  });
});

describe('a message', () => {
  it('follows the last one that is shown', async () => {
    server.messages = { c1: makeThread('Is it?', 'Yes.') };
    const user = await openScreen();
    await screen.findByText('Yes.');
    await user.type(composer(), 'Go on{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)).toMatchObject([{ content: 'Go on', parentId: 'r1' }]);
  });

  it('is the first one of an empty conversation', async () => {
    const user = await openScreen();
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() => expect(server.posted(route)).toHaveLength(1));
    expect(server.posted(route)).toMatchObject([{ content: 'Hello', parentId: null }]);
  });

  it('keeps its text when it is refused, and the reason is shown', async () => {
    const user = await openScreen();
    const message = '3 replies are running already. Wait until one has ended, or stop one.';
    server.answer(`POST ${route}`, 429, { message, code: 'too_many_replies' });
    await user.type(composer(), 'Later{Enter}');
    await waitFor(() => expect(toasted()).toMatchObject({ title: 'Error', description: message }));
    expect(composer().value).toBe('Later');
  });
});

describe('a new conversation', () => {
  const created = () =>
    server.posted('/api/conversations') as { title: string; clientConversationId: string }[];

  it('is the same one when created again after a failure, even with another text', async () => {
    const user = await openScreen('/?c=new');
    server.answer('POST /api/conversations', 503, { message: 'Try again.', code: 'unavailable' });
    await user.type(composer(), 'Lyra{Enter}');
    await waitFor(() => expect(composer().value).toBe('Lyra'));
    await user.type(composer(), '{Enter}');
    await waitFor(() => expect(created()).toHaveLength(2));
    await waitFor(() => expect(composer().value).toBe('Lyra'));
    server.usually('POST /api/conversations');
    await user.type(composer(), ' and Vega{Enter}');
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(created().map(({ title }) => title)).toEqual(['Lyra', 'Lyra', 'Lyra and Vega']);
    expect(new Set(created().map((body) => body.clientConversationId)).size).toBe(1);
    expect(created()[0]?.clientConversationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has another id after the former one was created', async () => {
    const user = await openScreen('/?c=new');
    await user.type(composer(), 'One{Enter}');
    await waitFor(() => expect(location.search).toBe('?c=made'));
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    await user.type(composer(), 'Two{Enter}');
    await waitFor(() => expect(created()).toHaveLength(2));
    expect(created()[0]?.clientConversationId).not.toBe(created()[1]?.clientConversationId);
  });
});

describe('a guest whose demo is used up', () => {
  it('sees a link to the plans in place of the composer', async () => {
    const demo = { messagesLeft: 0, messageLimit: 20, tokensLeft: 900, tokenLimit: 20_000 };
    const guest = { subscriptionStatus: 'guest', subscriptionPlan: null } as const;
    server.user = { ...server.user, ...guest, demo };
    await openScreen();
    expect(screen.getByText('Demo used up.')).toBeTruthy();
    expect(screen.queryByPlaceholderText('Message STOLAS...')).toBeNull();
    const links = screen.getAllByRole('link', { name: 'Choose a plan' });
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/subscription',
      '/subscription',
    ]);
  });
});
