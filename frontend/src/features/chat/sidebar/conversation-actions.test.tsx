import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { composer, openScreen, server, startServer, toasted } from '../chat-screen.fixture.tsx';
import { conversation, makeReply } from '../chat-server.fixture.ts';
import { writeDraft } from '../sending/drafts.ts';
import { toggleStar } from '../stars.ts';
import { forgetDeleted } from './forget-deleted.ts';

const STARS = 'Stars above the house';

beforeEach(() => {
  startServer();
  server.conversations = [
    conversation('c3', 'Bread', 3),
    conversation('c1', STARS, 2),
    conversation('c2', 'Night sky', 1),
  ];
  server.messages = {
    c1: [makeReply('c1', { status: 'complete', content: 'Vega' })],
    c2: [],
    c3: [],
  };
});

const row = (title: string) => within(screen.getByRole('navigation')).getByTitle(title);
const titles = () =>
  [...document.querySelectorAll('[data-conversation-id] a')].map((a) => a.textContent);
const focused = () => document.activeElement;
const editor = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
const focusRow = (title: string) => act(() => row(title).focus());

/** Opens the menu of a conversation in the list. */
async function openMenu(user: Awaited<ReturnType<typeof openScreen>>, title: string) {
  await user.click(screen.getByRole('button', { name: `Actions for “${title}”` }));
  return within(await screen.findByRole('menu', { name: `Actions for “${title}”` }));
}

describe('the list by keyboard', () => {
  it('is one Tab stop at the open conversation, and the arrow keys, Home and End move in it', async () => {
    const user = await openScreen();
    const stops = () => document.querySelectorAll('[data-list] [tabindex="0"]');
    expect([...stops()]).toEqual([row(STARS)]);
    focusRow(STARS);
    await user.keyboard('{ArrowDown}');
    expect(focused()).toBe(row('Night sky'));
    expect([...stops()]).toEqual([row('Night sky')]);
    await user.keyboard('{ArrowDown}{Home}');
    expect(focused()).toBe(row('Bread'));
    await user.keyboard('{ArrowUp}{End}');
    expect(focused()).toBe(row('Night sky'));
  });

  it('reaches star and menu of a conversation with the arrow keys, and the focus returns to the button', async () => {
    const user = await openScreen();
    focusRow('Night sky');
    await user.keyboard('{ArrowRight}{Enter}');
    expect(titles()[0]).toContain('Night sky');
    expect(screen.getByRole('region', { name: 'Starred' }).textContent).toContain('Night sky');
    focusRow('Night sky');
    await user.keyboard('{ArrowRight}{ArrowRight}{Enter}');
    await screen.findByRole('menuitem', { name: 'Remove star' });
    await user.keyboard('{Escape}');
    await waitFor(() =>
      expect(focused()).toBe(screen.getByRole('button', { name: 'Actions for “Night sky”' })),
    );
  });
});

describe('renaming', () => {
  it('is done in the row by F2, shown at once, and gives the focus back', async () => {
    const user = await openScreen();
    focusRow('Night sky');
    await user.keyboard('{F2}');
    expect(await editor()).toBe(focused());
    const release = server.hold('PATCH /api/conversations/c2');
    await user.keyboard('Evening sky{Enter}');
    expect(titles().join()).toContain('Evening sky');
    await waitFor(() => expect(focused()).toBe(row('Evening sky')));
    release();
    await waitFor(() =>
      expect(server.conversations.find(({ id }) => id === 'c2')?.title).toBe('Evening sky'),
    );
  });

  it('keeps the old title on Escape, which does not stop a reply either', async () => {
    server.messages.c1 = [makeReply('c1', { status: 'streaming', attempt: 1, content: 'Once' })];
    const user = await openScreen();
    focusRow('Night sky');
    await user.keyboard('{F2}');
    await editor();
    await user.keyboard('Other{Escape}');
    expect(row('Night sky')).toBeTruthy();
    expect(server.requests.some(({ method }) => method === 'PATCH')).toBe(false);
    expect(server.posted('/api/replies/r1/stop')).toEqual([]);
  });

  it('refuses a blank title and one over 60 characters, and says why', async () => {
    const user = await openScreen();
    const menu = await openMenu(user, 'Night sky');
    await user.click(menu.getByRole('menuitem', { name: 'Rename' }));
    await user.clear(await editor());
    await user.keyboard('  {Enter}');
    expect(screen.getByText(/A title cannot be blank/)).toBeTruthy();
    await user.keyboard('x'.repeat(61));
    expect(screen.getByText('A title has at most 60 characters. This one has 61.')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect((await editor()).getAttribute('aria-invalid')).toBe('true');
    expect(server.requests.some(({ method }) => method === 'PATCH')).toBe(false);
  });

  it('shows the old title again when the server refuses it, with a notice', async () => {
    const user = await openScreen();
    server.answer('PATCH /api/conversations/c2', 503, { message: 'Later.', code: 'unavailable' });
    focusRow('Night sky');
    await user.keyboard('{F2}');
    await editor();
    await user.keyboard('Evening sky{Enter}');
    await waitFor(() => expect(toasted()?.title).toBe('The conversation could not be renamed'));
    expect(toasted()?.description).toBe('Later.');
    expect(row('Night sky')).toBeTruthy();
  });

  it('keeps the title that another tab gave it when it fails', async () => {
    const user = await openScreen();
    const release = server.hold('PATCH /api/conversations/c2');
    focusRow('Night sky');
    await user.keyboard('{F2}');
    await editor();
    await user.keyboard('Evening sky{Enter}');
    act(() => server.push('conversation:changed', conversation('c2', 'Morning sky', 1)));
    server.answer('PATCH /api/conversations/c2', 503, { message: 'Later.', code: 'unavailable' });
    server.conversations = server.conversations.filter(({ id }) => id !== 'c2');
    release();
    await waitFor(() => expect(toasted()?.title).toBe('The conversation could not be renamed'));
    expect(row('Morning sky')).toBeTruthy();
  });

  it('of the open conversation is offered in the header, too', async () => {
    const user = await openScreen();
    const actions = screen.getByRole('button', { name: 'Actions for this conversation' });
    await user.click(actions);
    await user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
    await user.clear(await editor());
    await user.keyboard('Stars{Enter}');
    expect(await screen.findByRole('heading', { name: 'Stars' })).toBeTruthy();
    await waitFor(() => expect(document.title).toBe('Stars · STOLAS'));
    expect(focused()).toBe(screen.getByRole('button', { name: 'Actions for this conversation' }));
  });
});

describe('deleting', () => {
  it('takes the open conversation away at once, and Undo brings it back and opens it', async () => {
    const user = await openScreen();
    await screen.findByText('Vega');
    const menu = await openMenu(user, STARS);
    const release = server.hold('DELETE /api/conversations/c1');
    await user.click(menu.getByRole('menuitem', { name: 'Delete' }));
    await waitFor(() => expect(titles()).toHaveLength(2));
    expect(location.search).toBe('');
    await waitFor(() => expect(toasted()?.title).toBe('Conversation deleted'));
    expect(toasted()?.action?.label).toBe('Undo');

    act(() => toasted()?.action?.onSelect());
    release();
    await waitFor(() => expect(location.search).toBe('?c=c1'));
    expect(titles()).toHaveLength(3);
    expect(await screen.findByText('Vega')).toBeTruthy();
  });

  it('by the Delete key asks nothing and focuses the next conversation', async () => {
    const user = await openScreen();
    focusRow('Bread');
    await user.keyboard('{Delete}');
    await waitFor(() => expect(titles()).toHaveLength(2));
    expect(focused()).toBe(row(STARS));
    expect(location.search).toBe('?c=c1');
    expect(server.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/api/conversations/c3',
    });
  });

  it('brings the conversation back when the server cannot be reached', async () => {
    const user = await openScreen();
    server.answer('DELETE /api/conversations/c3', 503, { message: 'Later.', code: 'unavailable' });
    focusRow('Bread');
    await user.keyboard('{Delete}');
    await waitFor(() => expect(toasted()?.title).toBe('The conversation could not be deleted'));
    expect(titles()).toHaveLength(3);
  });

  it('says when it is too late to undo', async () => {
    const user = await openScreen();
    focusRow('Bread');
    await user.keyboard('{Delete}');
    await waitFor(() => expect(toasted()?.title).toBe('Conversation deleted'));
    server.deleted.clear();
    act(() => toasted()?.action?.onSelect());
    await waitFor(() => expect(toasted()?.title).toBe('It is too late to undo'));
    expect(titles()).toHaveLength(2);
  });

  it('is noticed after the connection was lost, where the conversation is open', async () => {
    await openScreen();
    await screen.findByText('Vega');
    server.conversations = server.conversations.filter(({ id }) => id !== 'c1');
    delete server.messages['c1'];
    act(() => server.connect());
    expect(await screen.findByText('This conversation was deleted')).toBeTruthy();
    expect(screen.queryByText('Vega')).toBeNull();
    await waitFor(() => expect(titles()).toHaveLength(2));
  });

  it('in another tab is said where the conversation is open, with a new chat but no Undo', async () => {
    const user = await openScreen();
    await screen.findByText('Vega');
    act(() => server.push('conversation:deleted', { id: 'c1' }));
    expect(await screen.findByText('This conversation was deleted')).toBeTruthy();
    expect(screen.queryByText('Vega')).toBeNull();
    expect(screen.queryByPlaceholderText('Message STOLAS...')).toBeNull();
    expect(toasted()).toBeNull();

    act(() => server.push('conversation:changed', conversation('c1', STARS, 2)));
    expect(await screen.findByText('Vega')).toBeTruthy();
    act(() => server.push('conversation:deleted', { id: 'c1' }));
    await user.click(within(screen.getByRole('main')).getByRole('button', { name: 'New Chat' }));
    expect(location.search).toBe('?c=new');
  });

  it('forgets star and draft when the conversation cannot be restored any more, and not before', async () => {
    await openScreen();
    const { id: userId } = server.user;
    toggleStar(userId, 'c2');
    writeDraft(userId, 'c2', { text: 'Half a thought' });
    act(() => server.push('conversation:deleted', { id: 'c2' }));
    const later = (seconds: number) => () => Date.now() + seconds * 1_000;
    forgetDeleted(userId, later(20))();
    expect(localStorage.getItem(`stars:${userId}`)).toBe('["c2"]');
    forgetDeleted(userId, later(31))();
    expect(localStorage.getItem(`stars:${userId}`)).toBe('[]');
    expect(localStorage.getItem(`draft:${userId}:c2`)).toBeNull();
    expect(localStorage.getItem(`deleted:${userId}`)).toBeNull();
  });

  it('forgets star and draft of a conversation that is no longer shared with the user', async () => {
    await openScreen();
    const { id: userId } = server.user;
    toggleStar(userId, 'c2');
    writeDraft(userId, 'c2', { text: 'Half a thought' });
    act(() => server.push('access:changed', { conversationId: 'c2' }));
    forgetDeleted(userId, () => Date.now() + 31_000)();
    expect(localStorage.getItem(`stars:${userId}`)).toBe('[]');
    expect(localStorage.getItem(`draft:${userId}:c2`)).toBeNull();
  });

  it('forgets star and draft of a conversation that went while no tab was open, and no others', async () => {
    const { id: userId } = server.user;
    const [kept, uncreated] = ['c3', '7f0d6a5e-0000-4000-8000-000000000000'];
    for (const id of ['gone', kept, uncreated, 'new']) writeDraft(userId, id, { text: id });
    for (const id of ['lost', kept]) toggleStar(userId, id);
    await openScreen();
    const deletions = () => JSON.parse(localStorage.getItem(`deleted:${userId}`) ?? '{}') as object;
    await waitFor(() => expect(Object.keys(deletions()).toSorted()).toEqual(['gone', 'lost']));
    forgetDeleted(userId, () => Date.now() + 31_000)();
    expect(localStorage.getItem(`stars:${userId}`)).toBe(`["${kept}"]`);
    const drafts = Object.keys(localStorage).filter((key) => key.startsWith('draft:'));
    const left = [kept, uncreated, 'new'].map((id) => `draft:${userId}:${id}`);
    expect(drafts.toSorted()).toEqual(left.toSorted());
  });

  it('leaves what was being written in the open conversation to the new chat, also later', async () => {
    const user = await openScreen();
    await screen.findByText('Vega');
    const { id: userId } = server.user;
    await user.type(composer(), 'Half a thought');
    act(() => server.push('conversation:deleted', { id: 'c1' }));
    await screen.findByText('This conversation was deleted');
    act(forgetDeleted(userId, () => Date.now() + 31_000));
    expect(localStorage.getItem(`draft:${userId}:c1`)).toBeNull();
    await user.click(within(screen.getByRole('main')).getByRole('button', { name: 'New Chat' }));
    expect(composer().value).toBe('Half a thought');
  });

  it('keeps star and draft of a conversation that was restored', async () => {
    await openScreen();
    const { id: userId } = server.user;
    toggleStar(userId, 'c2');
    act(() => server.push('conversation:deleted', { id: 'c2' }));
    act(() => server.push('conversation:changed', conversation('c2', 'Night sky', 1)));
    forgetDeleted(userId, () => Date.now() + 60_000)();
    expect(localStorage.getItem(`stars:${userId}`)).toBe('["c2"]');
  });
});

describe('a reply in another conversation', () => {
  const state = { replyId: 'r9', conversationId: 'c2', attempt: 1, length: 4 } as const;

  it('is marked in the list while it runs, and until its conversation is opened', async () => {
    const user = await openScreen();
    act(() => server.push('reply:state', { ...state, status: 'streaming' }));
    expect(row('Night sky').textContent).toContain('Reply running');
    act(() => server.push('reply:state', { ...state, status: 'complete' }));
    expect(row('Night sky').textContent).toContain('New reply');
    await user.click(row('Night sky'));
    expect(row('Night sky').textContent).not.toContain('New reply');
  });

  it('that was stopped is not marked as new', async () => {
    await openScreen();
    act(() => server.push('reply:state', { ...state, status: 'streaming' }));
    act(() => server.push('reply:state', { ...state, status: 'stopped' }));
    expect(row('Night sky').textContent).not.toMatch(/Reply running|New reply/);
  });
});

describe('the title of the browser tab', () => {
  it('names the open conversation, and a new chat', async () => {
    const user = await openScreen();
    await waitFor(() => expect(document.title).toBe(`${STARS} · STOLAS`));
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    expect(document.title).toBe('New chat · STOLAS');
  });

  it('shows that a reply has ended while the tab was hidden, until it is looked at', async () => {
    await openScreen();
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    const at = { replyId: 'r1', conversationId: 'c1', attempt: 1, length: 4 } as const;
    act(() => server.push('reply:state', { ...at, status: 'streaming' }));
    expect(document.title).toBe(`${STARS} · STOLAS`);
    act(() => server.push('reply:state', { ...at, status: 'complete' }));
    expect(document.title).toBe(`● ${STARS} · STOLAS`);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    expect(document.title).toBe(`${STARS} · STOLAS`);
  });
});

it('a link to the conversation is copied from its menu', async () => {
  const user = await openScreen();
  const menu = await openMenu(user, 'Night sky');
  await user.click(menu.getByRole('menuitem', { name: 'Copy link' }));
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/?c=c2`);
  expect(toasted()?.title).toBe('Copied to clipboard');
});

it('a link says where it can be copied when the browser has no clipboard, as without https', async () => {
  const user = await openScreen();
  const menu = await openMenu(user, 'Night sky');
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
  await user.click(menu.getByRole('menuitem', { name: 'Copy link' }));
  await waitFor(() => expect(toasted()?.title).toBe('The link could not be copied'));
});
