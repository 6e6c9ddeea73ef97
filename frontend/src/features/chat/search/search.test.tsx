import {
  MAX_SEARCH_LENGTH,
  type Message,
  type SearchPage,
  type SearchResult,
} from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { messagesKey } from '../../../realtime/index.ts';
import { setPersonaOfNewChat } from '../../personas/index.ts';
import { composer, openScreen, server, startServer, toasted } from '../chat-screen.fixture.tsx';
import {
  completeReply,
  conversation,
  makeThread,
  makeUserMessage,
} from '../chat-server.fixture.ts';
import { closeCommandMenu } from './command-menu-store.ts';

const SEARCH_BOX = { name: /^Search/ };
const SEARCH = 'GET /api/search';

beforeAll(() =>
  Promise.all([
    import('./search-results.tsx'),
    import('./command-menu.tsx'),
    import('./reach-message.ts'),
  ]),
);

beforeEach(() => {
  startServer();
  server.messages = { c1: makeThread('First', 'One.', 'Second', 'Two.') };
});

afterEach(closeCommandMenu);

const result = (messageId: string, changed: Partial<SearchResult> = {}): SearchResult => ({
  conversationId: 'c1',
  messageId,
  title: 'Stars above the house',
  snippet: 'An old café in Rome',
  matches: [
    { start: 7, end: 11 },
    { start: 15, end: 19 },
  ],
  role: 'user',
  createdAt: '2026-01-05T10:00:00.000Z',
  ...changed,
});

const answer = (results: SearchResult[], next: string | null = null) =>
  server.answer(SEARCH, 200, { results, next } satisfies SearchPage);

const searchBox = () => screen.getByPlaceholderText('Search conversations...');
const found = () => screen.findByRole('region', { name: 'Messages' });
const focusedMessage = () =>
  document.activeElement instanceof HTMLElement
    ? document.activeElement.dataset.messageId
    : undefined;

describe('the search box', () => {
  it('finds messages below the titles, with the words marked', async () => {
    answer([result('m1')]);
    const user = await openScreen();
    await user.click(searchBox());
    await user.paste('cafe rome');
    const link = await within(await found()).findByRole('link');
    expect(link.getAttribute('href')).toBe('/?c=c1&m=m1');
    expect(link.textContent).toContain('An old café in Rome');
    expect([...link.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'café',
      'Rome',
    ]);
    const asked = server.requests.filter(({ path }) => path.startsWith('/api/search'));
    expect(asked.map(({ path }) => path)).toEqual(['/api/search?q=cafe+rome']);
  });

  it('finds messages by the beginning of a text that is longer than the server takes', async () => {
    answer([result('m1')]);
    const user = await openScreen();
    await user.click(searchBox());
    await user.paste('a'.repeat(MAX_SEARCH_LENGTH + 1));
    await within(await found()).findByRole('link');
    const asked = server.requests.filter(({ path }) => path.startsWith('/api/search'));
    expect(asked.map(({ path }) => path)).toEqual([
      `/api/search?q=${'a'.repeat(MAX_SEARCH_LENGTH)}`,
    ]);
  });

  it('says when no message contains the words', async () => {
    answer([]);
    const user = await openScreen();
    await user.type(searchBox(), 'nowhere');
    expect(await screen.findByText('Nothing found for “nowhere”.')).toBeTruthy();
  });

  it('offers to try again when the search fails', async () => {
    server.answer(SEARCH, 500, { message: 'No.' });
    const user = await openScreen();
    await user.type(searchBox(), 'cafe');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The messages could not be searched.');
    answer([result('m1')]);
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await within(await found()).findByRole('link')).toBeTruthy();
  });

  it('loses what is in a conversation that is deleted, until it is restored', async () => {
    answer([result('m1'), result('m2', { conversationId: 'c2' })]);
    const user = await openScreen();
    await user.click(searchBox());
    await user.paste('cafe');
    const links = async () => within(await found()).queryAllByRole('link');
    await waitFor(async () => expect(await links()).toHaveLength(2));
    act(() => server.push('conversation:deleted', { id: 'c2' }));
    expect((await links()).map((link) => link.getAttribute('href'))).toEqual(['/?c=c1&m=m1']);
    act(() => server.push('conversation:changed', conversation('c2', 'Owls')));
    expect(await links()).toHaveLength(2);
  });

  it('moves between results by the arrow keys', async () => {
    answer([result('m1'), result('m2')]);
    const user = await openScreen();
    await user.type(searchBox(), 'cafe');
    const [first, second] = await within(await found()).findAllByRole('link');
    act(() => first?.focus());
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(second);
    await user.keyboard('{Home}');
    expect(document.activeElement).toBe(first);
  });
});

describe('the address of a message', () => {
  it('opens the conversation at it, with the focus there', async () => {
    await openScreen('/?c=c1&m=m1');
    await waitFor(() => expect(focusedMessage()).toBe('m1'));
  });

  it('is followed again when the same result is selected again', async () => {
    answer([result('m1')]);
    const user = await openScreen();
    await user.type(searchBox(), 'cafe');
    const link = await within(await found()).findByRole('link');
    await user.click(link);
    await waitFor(() => expect(focusedMessage()).toBe('m1'));
    await user.click(link);
    await waitFor(() => expect(focusedMessage()).toBe('m1'));
  });

  it('loads the pages above until the message is there', async () => {
    server.messages.c1 = Array.from({ length: 600 }, (_, n) =>
      makeUserMessage('c1', {
        id: `n${n}`,
        content: `Number ${n}`,
        ...(n > 0 && { parentId: `n${n - 1}` }),
      }),
    );
    const list = '/api/conversations/c1/messages';
    await openScreen('/?c=c1&m=n3');
    const loaded = () =>
      queryClient.getQueryData<readonly Message[]>(messagesKey('c1'))?.map(({ id }) => id);
    await waitFor(() => expect(loaded()).toContain('n3'));
    expect(loaded()).toEqual(server.messages.c1?.map(({ id }) => id));
    const calls = server.requests.filter(({ path }) => path.startsWith(list));
    // In pages of 200, beside what scrolling loads.
    expect(calls.length).toBeLessThan(10);
  });

  it('shows the branch that the message is on', async () => {
    server.messages.c1?.push(
      makeUserMessage('c1', { id: 'm3', parentId: 'r1', content: 'Other' }),
      completeReply('3.', { id: 'r3', parentId: 'm3' }),
    );
    await openScreen('/?c=c1&m=m2');
    await waitFor(() => expect(focusedMessage()).toBe('m2'));
    expect(await screen.findByText('Two.')).toBeTruthy();
  });

  it('says so when a running reply keeps the branch from being shown', async () => {
    server.messages.c1?.push(makeUserMessage('c1', { id: 'm3', parentId: 'r1', content: 'Other' }));
    const body = { code: 'reply_in_progress', message: 'A reply is in progress.' };
    server.answer('PATCH /api/conversations/c1', 409, body);
    await openScreen('/?c=c1&m=m2');
    await waitFor(() => expect(toasted()?.title).toBe('The message is in another version'));
    expect(screen.getByText('Other')).toBeTruthy();
  });

  it('of no message shows the conversation with a notice', async () => {
    server.answer('GET /api/conversations/c1/messages?before=gone&limit=1', 404, {
      code: 'not_found',
      message: 'Not there.',
    });
    await openScreen('/?c=c1&m=gone');
    await waitFor(() => expect(toasted()?.title).toBe('This message is not here'));
    expect(screen.getByText('Two.')).toBeTruthy();
  });
});

describe('the command menu', () => {
  const openMenu = async () => {
    const user = await openScreen();
    await user.keyboard('{Control>}k{/Control}');
    const box = await screen.findByRole('combobox', SEARCH_BOX);
    return { user, box };
  };
  const active = (box: HTMLElement) =>
    labelOf(document.getElementById(box.getAttribute('aria-activedescendant') ?? ''));
  const names = () => screen.queryAllByRole('option').map(labelOf);
  /** Without the keys and the time at its end. */
  const labelOf = (option: HTMLElement | null) => option?.querySelector('span')?.textContent;

  it('lists recent conversations and commands', async () => {
    const { box } = await openMenu();
    expect(document.activeElement).toBe(box);
    expect(names()[0]).toContain('Stars above the house');
    expect(names()).toEqual(expect.arrayContaining(['New chat', 'Settings', 'Sign out']));
  });

  it('moves by the arrow keys, Home and End, and runs by Enter', async () => {
    const { user, box } = await openMenu();
    expect(active(box)).toContain('Stars above the house');
    await user.keyboard('{End}');
    expect(active(box)).toBe('Sign out');
    await user.keyboard('{ArrowDown}');
    expect(active(box)).toContain('Stars above the house');
    await user.keyboard('{ArrowUp}{Home}');
    await user.keyboard('{ArrowDown}'.repeat(6));
    expect(active(box)).toBe('New chat');
    await user.keyboard('{Enter}');
    expect(window.location.search).toBe('?c=new');
    expect(screen.queryByRole('combobox', SEARCH_BOX)).toBeNull();
  });

  it('shows the keys of a command that has some', async () => {
    await openMenu();
    const keysOf = (name: string) =>
      [...screen.getByRole('option', { name }).querySelectorAll('kbd')].map((it) => it.textContent);
    expect(keysOf('New chat')).toEqual(['Ctrl', 'Shift', 'O']);
    expect(keysOf('Print')).toEqual(['Ctrl', 'P']);
    expect(keysOf('Sign out')).toEqual([]);
  });

  it('stars and renames the open conversation', async () => {
    const { user } = await openMenu();
    await user.click(screen.getByRole('option', { name: 'Star' }));
    await screen.findByRole('button', { name: 'Remove star from “Stars above the house”' });
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('option', { name: 'Remove star' });
    await user.click(screen.getByRole('option', { name: 'Rename' }));
    const title = await screen.findByDisplayValue('Stars above the house');
    expect(document.activeElement).toBe(title);
  });

  it.each([
    ['owner', true],
    ['manager', true],
    ['editor', false],
    ['viewer', false],
  ] as const)('lets the %s of a shared conversation rename it: %s', async (role, mayRename) => {
    const shared = { role, owner: { id: 'b', name: 'Bob Lee' } };
    server.conversations = [{ ...conversation('c1', 'Stars above the house'), shared }];
    await openMenu();
    expect(names()).toContain('Star');
    expect(names().includes('Rename')).toBe(mayRename);
  });

  it('finds personas and sections of Settings, and leads there', async () => {
    answer([]);
    server.answer('GET /api/personas?fields=summary', 200, [
      { id: 'p1', name: 'Ada', role: '', avatar: '', greeting: '', depth: null },
    ]);
    const { user } = await openMenu();
    expect(names()).not.toContain('Settings: Usage');
    await user.keyboard('chat as ad');
    await user.click(await screen.findByRole('option', { name: 'Chat as Ada' }));
    expect(window.location.search).toBe('?c=new');
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('combobox', SEARCH_BOX);
    // Without an open conversation nothing can be renamed.
    expect(names()).not.toContain('Rename');
    await user.keyboard('usage');
    await user.click(await screen.findByRole('option', { name: 'Settings: Usage' }));
    expect(window.location.pathname + window.location.hash).toBe('/settings#usage');
    setPersonaOfNewChat(null);
  });

  it('finds messages and opens one', async () => {
    answer([result('m1')]);
    const { user, box } = await openMenu();
    await user.keyboard('cafe');
    await screen.findByRole('group', { name: 'Messages' });
    expect(active(box)).toContain('An old café in Rome');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(focusedMessage()).toBe('m1'));
  });

  it('says when nothing is found, and when the search failed', async () => {
    answer([]);
    const { user } = await openMenu();
    await user.keyboard('xyzzy');
    await waitFor(() => expect(screen.getByText('Nothing found for “xyzzy”.')).toBeTruthy());
    server.answer(SEARCH, 500, { message: 'No.' });
    await user.keyboard('y');
    expect((await screen.findByRole('alert')).textContent).toContain('The search did not work.');
  });

  it('is closed by Escape, and keeps what is being written', async () => {
    const user = await openScreen();
    await user.type(composer(), 'A draft');
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('combobox', SEARCH_BOX);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('combobox', SEARCH_BOX)).toBeNull();
    expect(document.activeElement).toBe(composer());
    expect(composer().value).toBe('A draft');
  });
});
