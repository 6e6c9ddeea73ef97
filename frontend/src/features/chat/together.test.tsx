import type { Conversation, ConversationShare, ReaderRole } from '@stolas/backend/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { composer, openScreen, server, startServer, toasted } from './chat-screen.fixture.tsx';
import { completeReply, conversation, makeThread, makeUserMessage } from './chat-server.fixture.ts';

const BOB = { id: 'b', name: 'Bob Lee' };
const shared = { role: 'editor', owner: BOB } as const;

const talk = (fields: Partial<Conversation> = {}): Conversation => ({
  ...conversation('c1', 'Stars above the house'),
  activeLeafId: 'r1',
  shared,
  ...fields,
});

beforeEach(() => {
  startServer();
  server.conversations = [talk(), { ...conversation('c2', 'Night sky'), shared }];
  server.messages = { c1: makeThread('First', 'One.'), c2: [] };
});

async function open() {
  const user = await openScreen();
  await screen.findByText('One.');
  return user;
}

const row = (title: string) => screen.getByRole('link', { name: new RegExp(title) });
const reads = () =>
  server.requests.filter(({ path }) => path.endsWith('/read')).map(({ path }) => path);

describe('a message of somebody else on another branch', () => {
  const message = makeUserMessage('c1', { id: 'm2', content: 'First, edited', author: BOB });
  const reply = completeReply('Two.', { id: 'r2', parentId: 'm2', author: BOB });

  it('leaves what is shown, and is shown on request', async () => {
    const user = await open();
    server.messages.c1?.push(message, reply);
    act(() => server.push('message:created', { message, reply, elsewhere: true }));
    expect(await screen.findByText('Bob Lee wrote on another branch')).toBeTruthy();
    expect(await screen.findByRole('group', { name: 'Version 1 of 2' })).toBeTruthy();
    expect(screen.queryByText('Two.')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Show' }));
    expect(await screen.findByText('Two.')).toBeTruthy();
    expect(screen.queryByText('One.')).toBeNull();
    expect(screen.queryByText('Bob Lee wrote on another branch')).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(composer()));
  });

  it('is shown at once when it continues what is shown', async () => {
    await open();
    const next = makeUserMessage('c1', {
      id: 'm2',
      parentId: 'r1',
      content: 'Second',
      author: BOB,
    });
    act(() => server.push('message:created', { message: next, reply }));
    expect(await screen.findByText('Second')).toBeTruthy();
    expect(screen.queryByText('Bob Lee wrote on another branch')).toBeNull();
  });
});

it('lets what is being written go on in a new chat when the user may only read from now on', async () => {
  const user = await open();
  await user.type(composer(), 'Half a thought');
  act(() => server.push('conversation:changed', talk({ shared: { ...shared, role: 'viewer' } })));
  await screen.findByText(/^Bob Lee shared this conversation with you for reading/);
  await user.click(screen.getByRole('button', { name: 'Continue writing in a new chat' }));
  expect(location.search).toBe('?c=new');
  expect(composer().value).toBe('Half a thought');
});

describe('what others have written', () => {
  it('has a dot and a mark in the list until the conversation is opened, which tells the server', async () => {
    const user = await open();
    expect(row('Night sky').textContent).not.toMatch(/New messages|Mentioned you/);
    const marked = {
      ...conversation('c2', 'Night sky'),
      shared: { ...shared, unread: true, mentioned: true },
    } as const;
    act(() => server.push('conversation:changed', marked));
    await waitFor(() =>
      expect(row('Night sky').textContent).toMatch(/Mentioned you.*New messages/),
    );
    expect(reads()).toEqual([]);
    await user.click(row('Night sky'));
    await waitFor(() => expect(reads()).toEqual(['/api/conversations/c2/read']));
    expect(row('Night sky').textContent).not.toMatch(/New messages|Mentioned you/);
  });

  it('is read at once in the conversation that is open, and once for each message', async () => {
    await open();
    const at = (second: number) =>
      talk({ updatedAt: `2026-01-01T10:00:0${second}.000Z`, shared: { ...shared, unread: true } });
    for (const [second, count] of [
      [1, 1],
      [2, 2],
    ] as const) {
      act(() => server.push('conversation:changed', at(second)));
      await waitFor(() => expect(reads()).toHaveLength(count));
    }
    expect(row('Stars above the house').textContent).not.toContain('New messages');
  });

  it('begins with a notice of who has shared it', async () => {
    await open();
    act(() => server.push('conversation:shared', { id: 'c2', title: 'Night sky', by: BOB }));
    expect(toasted()?.title).toBe('Bob Lee shared “Night sky” with you');
  });
});

describe('the public links', () => {
  const LINKS = '/api/conversations/c1/shares';
  const link: Partial<ConversationShare> = {
    id: 's1',
    title: 'Stars above the house',
    of: 'conversation',
    ownerName: BOB.name,
    expiresAt: '2026-02-01T10:00:00.000Z',
    openings: 0,
    lastOpenedAt: null,
  };
  const openMenu = async (role: ReaderRole) => {
    server.conversations = [talk({ shared: { role, owner: BOB } })];
    server.answer('POST /api/shares/preview', 200, { messages: [], quoting: 0, revision: 'one' });
    server.answer(`GET ${LINKS}`, 200, [link]);
    const user = await open();
    const globe = screen.queryByRole('button', { name: 'Public link' });
    await user.click(screen.getByRole('button', { name: 'Actions for this conversation' }));
    return { user, globe, menu: within(await screen.findByRole('menu')) };
  };

  it.each(['owner', 'manager'] as const)('are listed and ended by a %s', async (role) => {
    const { user, globe, menu } = await openMenu(role);
    expect(globe).toBeTruthy();
    await user.click(menu.getByRole('menuitem', { name: 'Public link…' }));
    const list = await screen.findByRole('region', { name: 'Links to this conversation' });
    expect(list.textContent).toContain('Bob Lee · until February 1, 2026');
    server.answer('DELETE /api/shares/s1', 200, null);
    server.answer(`GET ${LINKS}`, 200, []);
    const end = { name: 'Revoke the link to Stars above the house' };
    await user.click(within(list).getByRole('button', end));
    await waitFor(() => expect(list.isConnected).toBe(false));
  });

  it.each(['editor', 'viewer'] as const)('are nothing for a %s', async (role) => {
    const { globe, menu } = await openMenu(role);
    expect(globe).toBeNull();
    expect(menu.getByRole('menuitem', { name: 'Copy link' })).toBeTruthy();
    expect(menu.queryByRole('menuitem', { name: 'Public link…' })).toBeNull();
    expect(server.requests.map(({ path }) => path)).not.toContain(LINKS);
  });
});

describe('an @ in the composer', () => {
  const people = [BOB, { id: 'a', name: 'Ann' }, { id: 'l', name: 'Anna' }];
  const options = () => {
    const list = screen.queryByRole('listbox', { name: 'People in this conversation' });
    return list
      ? within(list)
          .getAllByRole('option')
          .map(({ textContent }) => textContent)
      : [];
  };
  beforeEach(() => server.answer('GET /api/conversations/c1/people', 200, { people }));

  it('offers the people of the conversation, and the keys choose one', async () => {
    const user = await open();
    await user.type(composer(), 'Hello @an');
    await waitFor(() => expect(options()).toEqual(['Ann', 'Anna']));
    await user.keyboard('{ArrowDown}');
    const active = composer().getAttribute('aria-activedescendant') ?? '';
    expect(document.getElementById(active)?.textContent).toBe('Anna');
    await user.keyboard('{Enter}');
    expect(composer().value).toBe('Hello @Anna ');
    expect(options()).toEqual([]);
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
    await user.keyboard('{Enter}');
    expect(server.posted('/api/conversations/c1/messages')).toMatchObject([
      { content: 'Hello @Anna ' },
    ]);
  });

  it('offers people whatever the capitals and accents', async () => {
    server.answer('GET /api/conversations/c1/people', 200, {
      people: [...people, { id: 'z', name: 'Zo\u00eb' }],
    });
    const user = await open();
    await user.type(composer(), '@ZOE');
    await waitFor(() => expect(options()).toEqual(['Zo\u00eb']));
    await user.clear(composer());
    await user.type(composer(), '@zo\u00eb');
    await waitFor(() => expect(options()).toEqual(['Zo\u00eb']));
  });

  it('offers nothing once Escape has closed it, in an address, and in a conversation of one person', async () => {
    const user = await open();
    await user.type(composer(), '@b');
    await waitFor(() => expect(options()).toEqual(['Bob Lee']));
    await user.keyboard('{Escape}o');
    expect(options()).toEqual([]);
    await user.clear(composer());
    await user.type(composer(), '@');
    await waitFor(() => expect(options()).toHaveLength(3));
    await user.clear(composer());
    await user.type(composer(), 'me@an');
    expect(options()).toEqual([]);
    const { shared: _nobody, ...own } = talk();
    act(() => server.push('conversation:changed', own));
    await user.type(composer(), ' @');
    expect(options()).toEqual([]);
  });
});
