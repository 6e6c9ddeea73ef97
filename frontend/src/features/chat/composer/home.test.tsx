import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import { completeReply, makeUserMessage } from '../chat-server.fixture.ts';
import { readUnsent } from '../sending/outbox.ts';

beforeEach(startServer);

const touch = (isTouch: boolean) =>
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(new EventTarget(), {
      matches: query === `(pointer: ${isTouch ? 'coarse' : 'fine'})`,
    } as MediaQueryList),
  );

describe('home', () => {
  it('is ready to type, and Enter starts a new conversation', async () => {
    touch(false);
    const user = await openScreen('/');
    expect(screen.getByText('Welcome back, Ada')).toBeTruthy();
    expect(document.activeElement).toBe(composer());
    await user.keyboard('Which star is that?{Enter}');
    await waitFor(() => expect(location.search).toBe('?c=made'));
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(server.posted('/api/conversations')).toMatchObject([
      { title: 'Which star is that?', message: { content: 'Which star is that?' } },
    ]);
    vi.restoreAllMocks();
  });

  it('does not open the conversation on another page, where the user has gone meanwhile', async () => {
    const user = await openScreen('/');
    const release = server.hold('POST /api/conversations');
    await user.type(composer(), 'A slow one{Enter}');
    await waitFor(() => expect(location.search).toBe('?c=new'));
    act(() => navigate('/settings'));
    release();
    await waitFor(() => expect(toasted()?.title).toBe('Message sent'));
    expect(location.pathname + location.search).toBe('/settings');
  });

  it('does not open a message that waits on another page either', async () => {
    const user = await openScreen('/');
    let breakOff = () => {};
    const broken = new Promise<never>((_resolve, reject) => {
      breakOff = () => reject(new TypeError('Failed to fetch'));
    });
    vi.stubGlobal('fetch', (path: string, init?: { method?: string }) =>
      init?.method === 'POST' ? broken : server.fetch(path, init),
    );
    await user.type(composer(), 'A lost one{Enter}');
    await waitFor(() => expect(location.search).toBe('?c=new'));
    act(() => navigate('/settings'));
    breakOff();
    await waitFor(() => expect(readUnsent(server.user.id)).toHaveLength(1));
    expect(location.pathname + location.search).toBe('/settings');
  });

  it('leaves the focus to what the user writes elsewhere while the message is being sent', async () => {
    touch(false);
    const user = await openScreen('/');
    const release = server.hold('POST /api/conversations');
    await user.keyboard('A slow one{Enter}');
    await waitFor(() => expect(composer().disabled).toBe(true));
    const search = screen.getByPlaceholderText('Search conversations...');
    await user.type(search, 'Sta');
    release();
    await waitFor(() => expect(location.search).toBe('?c=made'));
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(document.activeElement).toBe(search);
    vi.restoreAllMocks();
  });

  it('shares its draft with a new conversation, and keeps it while another one is looked at', async () => {
    const user = await openScreen('/');
    await user.type(composer(), 'Half a thought');
    await user.click(screen.getByRole('button', { name: 'Start New Conversation' }));
    expect(composer().value).toBe('Half a thought');
    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    expect(composer().value).toBe('');
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    expect(composer().value).toBe('Half a thought');
  });

  it('forgets a draft that was sent just before a reload when its conversation is opened', async () => {
    const clientMessageId = '0f3a9c51-b2de-4f6a-8a51-0c9d6a7e1b22';
    const draft = { text: 'Sent already', clientMessageId, clientConversationId: clientMessageId };
    localStorage.setItem(`draft:${server.user.id}:new`, JSON.stringify(draft));
    server.messages = {
      c1: [
        makeUserMessage('c1', { content: 'Sent already', clientMessageId }),
        completeReply('Yes.'),
      ],
    };
    const user = await openScreen('/?c=c1');
    await screen.findByText('Yes.');
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    expect(composer().value).toBe('');
  });

  it('has no empty heading', async () => {
    await openScreen('/');
    const headings = () => screen.getAllByRole('heading').map((heading) => heading.textContent);
    expect(headings()).not.toContain('');
    screen.getByRole('button', { name: 'Start New Conversation' }).click();
    await screen.findByRole('heading', { name: 'Start a new conversation' });
    expect(headings()).not.toContain('');
  });
});

describe('the keyboard', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('makes a new line by Enter on touch', async () => {
    const user = await openScreen();
    touch(true);
    await user.type(composer(), 'one{Enter}two');
    expect(composer().value).toBe('one\ntwo');
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
  });

  it("Composer: hint 'Press Enter to send • Shift+Enter for new line'", async () => {
    await openScreen();
    const hint = screen.getByText('Press Enter to send • Shift+Enter for new line');
    expect(hint.className).toContain('pointer-coarse:hidden');
  });
});
