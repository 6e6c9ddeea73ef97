import { onlineManager } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { removeAuthToken, removeUserData } from '../../../lib/auth-token.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { setPanelOfNewChat, setPersonaOfNewChat } from '../../personas/index.ts';
import {
  composer,
  openScreen,
  replyOnScreen,
  server,
  startServer,
  toasted,
} from '../chat-screen.fixture.tsx';
import { makeSent, type TestServer } from '../chat-server.fixture.ts';
import { deliver } from './deliver.ts';
import { useOutbox } from './outbox.ts';

const route = '/api/conversations/c1/messages';
const WAITS = 'Sends when you are back online.';
const WAITS_FOR_REPLY = 'Sends after the reply to the message above.';
const WAITS_FOR_USER = 'Send or cancel the message above first.';
const PERSONA = {
  id: 'f'.repeat(24),
  name: 'Both',
  role: '',
  avatar: '',
  greeting: '',
  depth: null,
};
let isOnline: boolean;

beforeEach(() => {
  startServer();
  isOnline = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => isOnline);
});

afterEach(() => {
  goOnline();
  vi.restoreAllMocks();
});

function goOffline() {
  isOnline = false;
  window.dispatchEvent(new Event('offline'));
}

function goOnline() {
  isOnline = true;
  act(() => void window.dispatchEvent(new Event('online')));
}

/** Opens the page again, where its requests are answered. */
const reload = (address?: string) => {
  cleanup();
  queryClient.clear();
  goOnline();
  // Without a rendered page, React Query has not noticed the connection.
  onlineManager.setOnline(true);
  return openScreen(address);
};

const posted = () => server.posted(route) as { content: string; clientMessageId: string }[];

describe('a message sent offline', () => {
  it('waits in its conversation, survives a reload, and goes out by itself', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Wait for me{Enter}');
    expect(await screen.findByText(WAITS)).toBeTruthy();
    expect(screen.getByText('Wait for me')).toBeTruthy();
    expect(composer().value).toBe('');
    expect(composer().disabled).toBe(false);

    expect(posted()).toEqual([]);
    await reload();
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(posted().map(({ content }) => content)).toEqual(['Wait for me']);
    expect(screen.queryByText(WAITS)).toBeNull();
    expect(screen.getAllByText('Wait for me')).toHaveLength(1);
  });

  it('goes out after those before it, each once the reply before it has ended', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'One{Enter}');
    await user.type(composer(), 'Two{Enter}');
    expect(await screen.findAllByText(WAITS)).toHaveLength(2);
    goOnline();
    await waitFor(() => expect(posted()).toHaveLength(1));
    await waitFor(() => expect(replyOnScreen()?.dataset.status).toBe('queued'));
    expect(screen.getByText(WAITS_FOR_REPLY)).toBeTruthy();
    expect(screen.queryByText(WAITS)).toBeNull();
    const at = { replyId: 'r1', conversationId: 'c1', attempt: 1 };
    act(() => server.push('reply:state', { ...at, status: 'stopped', length: 0 }));
    goOnline();
    await waitFor(() => expect(posted().map(({ content }) => content)).toEqual(['One', 'Two']));
  });

  it('stays below those before it when the clock is set back', async () => {
    const user = await openScreen();
    goOffline();
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const [day, text] of ['One', 'Two', 'Three'].entries()) {
        vi.setSystemTime(`2026-01-0${3 - day}`);
        await user.type(composer(), `${text}{Enter}`);
      }
    } finally {
      vi.useRealTimers();
    }
    const shown = (await screen.findAllByText(/^(One|Two|Three)$/)).map((it) => it.textContent);
    expect(shown).toEqual(['One', 'Two', 'Three']);
  });

  it('starts its conversation when it was written in a new one', async () => {
    const user = await openScreen('/');
    goOffline();
    await user.type(composer(), 'A new subject{Enter}');
    expect(await screen.findByText(WAITS)).toBeTruthy();
    const address = location.search;
    expect(address).toMatch(/^\?c=[0-9a-f-]{36}$/);
    act(() => window.history.pushState(null, '', '/'));
    const link = await screen.findByRole('link', { name: 'A new subject' });
    expect(link.getAttribute('href')).toBe(`/${address}`);
    await user.click(link);
    goOnline();
    await waitFor(() => expect(location.search).toBe('?c=made'));
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(server.posted('/api/conversations')).toMatchObject([
      { clientConversationId: address.slice(3), message: { content: 'A new subject' } },
    ]);
  });

  it('opens the conversation that another tab has started with it', async () => {
    const user = await openScreen('/');
    goOffline();
    await user.type(composer(), 'A new subject{Enter}');
    await screen.findByText(WAITS);
    await user.type(composer(), 'and more');
    const key = Object.keys(localStorage).find((name) => name.startsWith('unsent:')) ?? '';
    const waiting = localStorage.getItem(key) ?? '';
    const stored = vi.spyOn(localStorage, 'setItem');
    goOnline();
    await waitFor(() => expect(location.search).toBe('?c=made'));
    // What another tab hears from this one.
    const values = stored.mock.calls.flatMap(([name, value]) => (name === key ? [value] : []));
    expect(values).toEqual([
      waiting.replace(/"conversationId":"[^"]+"/, '"conversationId":"made"'),
    ]);
    stored.mockRestore();

    act(goOffline);
    localStorage.setItem(key, waiting);
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key })));
    const { conversationId } = JSON.parse(waiting) as { conversationId: string };
    act(() => window.history.pushState(null, '', `/?c=${conversationId}`));
    await screen.findByText(WAITS);
    localStorage.removeItem(key);
    const events = [
      { key, oldValue: waiting, newValue: values[0] ?? '' },
      { key, oldValue: values[0] ?? '', newValue: null },
    ];
    for (const event of events)
      act(() => void window.dispatchEvent(new StorageEvent('storage', event)));
    await waitFor(() => expect(location.search).toBe('?c=made'));
  });

  it('returns to the composer when it is cancelled', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Better not{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(composer().value).toBe('Better not');
    expect(screen.queryByText(WAITS)).toBeNull();
    goOnline();
    await user.clear(composer());
    expect(posted()).toEqual([]);
  });

  describe('in a new conversation', () => {
    const cancel = () => screen.getAllByRole('button', { name: 'Cancel' })[0] as HTMLElement;
    const memory = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Memory' });
    const chosen = {
      temporary: true,
      message: { depth: 'deep', personaId: PERSONA.id, panel: { synthesis: true } },
    };

    /** Chooses everything for a new conversation, and sends these messages offline. */
    async function sendOffline(...messages: string[]) {
      server.answer('GET /api/personas?fields=summary', 200, [PERSONA]);
      setPersonaOfNewChat(PERSONA.id);
      setPanelOfNewChat({ synthesis: true });
      const user = await openScreen('/?c=new');
      await user.selectOptions(memory(), 'temporary');
      await user.selectOptions(screen.getByRole('combobox', { name: 'Depth' }), 'deep');
      goOffline();
      for (const message of messages) await user.type(composer(), `${message}{Enter}`);
      expect(await screen.findAllByText(WAITS)).toHaveLength(messages.length);
      return user;
    }

    it('returns with the choices for it when it is cancelled', async () => {
      const user = await sendOffline('Between us');
      await user.click(cancel());
      expect(location.search).toBe('?c=new');
      expect(composer().value).toBe('Between us');
      expect(memory().value).toBe('temporary');
      expect(screen.getByRole('button', { name: 'Persona: Both' })).toBeTruthy();
      goOnline();
      await user.type(composer(), '{Enter}');
      await waitFor(() => expect(server.posted('/api/conversations')).toMatchObject([chosen]));
    });

    it('leaves the choices to the message after it when it is cancelled', async () => {
      const user = await sendOffline('One', 'Two');
      await user.click(cancel());
      goOnline();
      await waitFor(() => expect(server.posted('/api/conversations')).toHaveLength(1));
      expect(server.posted('/api/conversations')).toMatchObject([
        { ...chosen, message: { ...chosen.message, content: 'Two' } },
      ]);
    });

    it('does not end that the new chat is temporary when it returns to one', async () => {
      const user = await openScreen('/?c=new');
      goOffline();
      await user.selectOptions(memory(), 'off');
      await user.type(composer(), 'Ordinary{Enter}');
      const address = location.search;
      await user.click(screen.getByRole('button', { name: 'New Chat' }));
      await user.selectOptions(memory(), 'temporary');
      await user.type(composer(), 'Between us');
      act(() => window.history.pushState(null, '', address));
      await screen.findByText('Ordinary');
      await user.click(cancel());
      expect(composer().value).toBe('Between us\n\nOrdinary');
      expect(memory().value).toBe('temporary');
    });
  });

  describe('in a conversation that is gone', () => {
    const gone: [string, (server: TestServer) => void, string][] = [
      [
        'deleted',
        () => server.push('conversation:deleted', { id: 'c1' }),
        'This conversation was deleted',
      ],
      [
        'no longer shared',
        () => server.push('access:changed', { conversationId: 'c1' }),
        'You no longer have access to this conversation.',
      ],
    ];
    it.each(gone)('stays in view when it was %s, and returns to a new chat', async (...it) => {
      const [, end, notice] = it;
      const user = await openScreen();
      goOffline();
      await user.type(composer(), 'A long thought{Enter}');
      await screen.findByText(WAITS);
      await user.type(composer(), 'and more');
      act(() => end(server));
      await screen.findByText(notice);
      expect(screen.getByText('A long thought')).toBeTruthy();
      expect(screen.getByText('Not sent yet')).toBeTruthy();
      expect(screen.queryByText(WAITS)).toBeNull();
      expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
      await user.click(screen.getByRole('button', { name: 'Cancel' }));
      expect(location.search).toBe('?c=new');
      expect(composer().value).toBe('A long thought\n\nand more');
      goOnline();
      await user.type(composer(), '{Enter}');
      await waitFor(() => expect(server.posted('/api/conversations')).toHaveLength(1));
    });

    it.each(gone)('leaves what is being written when it was %s to the new chat', async (...it) => {
      const [, end, notice] = it;
      const user = await openScreen();
      await user.type(composer(), 'Half a thought');
      act(() => end(server));
      await screen.findByText(notice);
      await user.click(screen.getAllByRole('button', { name: 'New Chat' }).at(-1) as HTMLElement);
      expect(composer().value).toBe('Half a thought');
    });

    it('is shown and returns to a new chat where the conversation is not found', async () => {
      const user = await openScreen();
      goOffline();
      await user.type(composer(), 'A long thought{Enter}');
      await screen.findByText(WAITS);
      delete server.messages['c1'];
      await reload();
      await screen.findByText('This conversation is not here');
      expect(await screen.findByText('A long thought')).toBeTruthy();
      expect(await screen.findByText(/^No conversation selected/)).toBeTruthy();
      await user.click(screen.getByRole('button', { name: 'Cancel' }));
      expect(location.search).toBe('?c=new');
      expect(composer().value).toBe('A long thought');
      expect(screen.queryByText(/^No conversation selected/)).toBeNull();
    });
  });

  it('says why it was refused, keeps its text, and is sent again by a retry', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Keep me{Enter}');
    const message = 'This message has a field that is not valid.';
    server.answer(`POST ${route}`, 422, { message, code: 'invalid_field' });
    goOnline();
    expect(await screen.findByText(message)).toBeTruthy();
    expect(screen.getByText('Keep me')).toBeTruthy();
    server.usually(`POST ${route}`);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(new Set(posted().map(({ clientMessageId }) => clientMessageId)).size).toBe(1);
    expect(screen.queryByText(message)).toBeNull();
  });

  it('that was refused holds up those after it, which say so', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'One{Enter}');
    await screen.findByText(WAITS);
    server.answer(`POST ${route}`, 422, { message: 'Not valid.', code: 'invalid_field' });
    goOnline();
    await screen.findByText('Not valid.');
    await user.type(composer(), 'Two{Enter}');
    expect(await screen.findByText(WAITS_FOR_USER)).toBeTruthy();
    expect(screen.queryByText(WAITS)).toBeNull();
    act(goOffline);
    expect(await screen.findByText(WAITS)).toBeTruthy();
    server.usually(`POST ${route}`);
    goOnline();
    await user.click(screen.getAllByRole('button', { name: 'Cancel' })[0] as HTMLElement);
    goOnline();
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(posted().map(({ content }) => content)).toEqual(['One', 'Two']);
  });

  it('is removed from the browser at sign-out', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Secret{Enter}');
    await screen.findByText(WAITS);
    await removeUserData(server.user.id);
    expect(JSON.stringify(localStorage)).not.toContain('Secret');
  });

  it('is not sent in the session of another user, nor after that of its user has ended', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Mine{Enter}');
    await screen.findByText(WAITS);
    isOnline = true;
    localStorage.setItem('authToken', 'of another user');
    await deliver(server.user);
    localStorage.removeItem('authToken');
    await deliver(server.user);
    expect(posted()).toEqual([]);
    localStorage.setItem('authToken', 'a-token');
    await reload();
    await waitFor(() => expect(posted()).toHaveLength(1));
  });

  it('that the socket reports as accepted is not sent again', async () => {
    const user = await openScreen();
    goOffline();
    await user.type(composer(), 'Heard already{Enter}');
    await screen.findByText(WAITS);
    const key = Object.keys(localStorage).find((name) => name.startsWith('unsent:'));
    const clientMessageId = key?.split(':').at(-1) ?? '';
    act(() =>
      server.push('message:created', makeSent('c1', { content: 'Heard already', clientMessageId })),
    );
    await waitFor(() => expect(screen.queryByText(WAITS)).toBeNull());
    goOnline();
    expect(screen.getAllByText('Heard already')).toHaveLength(1);
    expect(posted()).toEqual([]);
  });
});

describe('a message whose server cannot be reached', () => {
  it('waits and goes out when the server answers again', async () => {
    const user = await openScreen();
    const reach = server.fetch;
    vi.stubGlobal('fetch', async (path: string, init?: { method?: string }) => {
      if (init?.method === 'POST') throw new TypeError('Failed to fetch');
      return reach(path, init);
    });
    await user.type(composer(), 'Anybody there{Enter}');
    expect(await screen.findByText(WAITS)).toBeTruthy();
    expect(toasted()).toBeNull();
    vi.stubGlobal('fetch', reach);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
  });

  it('leaves nothing in the browser when its user signs out meanwhile', async () => {
    const user = await openScreen();
    let breakOff = () => {};
    const broken = new Promise<never>((_resolve, reject) => {
      breakOff = () => reject(new TypeError('Failed to fetch'));
    });
    const reach = server.fetch;
    vi.stubGlobal('fetch', (path: string, init?: { method?: string }) =>
      init?.method === 'POST' ? broken : reach(path, init),
    );
    await user.type(composer(), 'Secret{Enter}');
    await removeUserData(server.user.id);
    removeAuthToken();
    // Some browsers end the calls of a page when another one begins to load.
    breakOff();
    await waitFor(() => expect(useOutbox.getState().pending).toEqual({}));
    expect(JSON.stringify(localStorage)).not.toContain('Secret');
  });

  it('does not lock the composer when its answer is missing, and is not sent twice', async () => {
    const user = await openScreen();
    server.answer(`POST ${route}`, 524, undefined);
    await user.type(composer(), 'Slow one{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('AI is Still Processing'));
    expect(await screen.findByText('Checking whether it was sent…')).toBeTruthy();
    expect(composer().disabled).toBe(false);
    const [{ clientMessageId } = { clientMessageId: '' }] = posted();
    const sent = makeSent('c1', { content: 'Slow one', clientMessageId });
    server.messages = { c1: [sent.message, sent.reply] };
    goOnline();
    await waitFor(() => expect(replyOnScreen()).not.toBeNull());
    expect(posted()).toHaveLength(1);
    expect(screen.queryByText('Checking whether it was sent…')).toBeNull();
  });
});

describe('a refused message', () => {
  it("Send with no conversation: 'No conversation selected'", async () => {
    const user = await openScreen();
    const message = 'This conversation does not exist, or it is not yours.';
    server.answer(`POST ${route}`, 404, { message, code: 'not_found' });
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('No conversation selected'));
    expect(composer().value).toBe('Hello');
  });

  it('says that one of its files was deleted', async () => {
    const user = await openScreen();
    const message = 'A file of this message was deleted. Remove it, then send again.';
    const details = { field: 'files' };
    server.answer(`POST ${route}`, 404, { message, code: 'not_found', details });
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() => expect(toasted()).toMatchObject({ title: 'Error', description: message }));
  });
});
