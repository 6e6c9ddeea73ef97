import type { Conversation } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { formatDate } from '../../../lib/time.ts';
import { upsertConversation } from '../../../realtime/index.ts';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { conversation, TestServer } from '../chat-server.fixture.ts';
import { setSidebarWidth, useSidebar } from '../sidebar-store.ts';
import { Sidebar } from './sidebar.tsx';

let server: TestServer;
/** The element that the sidebar observed last: the row in place of the conversations that are not loaded. */
let reachEnd: () => void;

beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
        reachEnd = () => act(() => callback([{ isIntersecting: true }]));
      }
      observe() {}
      disconnect() {}
    },
  );
  server = new TestServer();
  vi.stubGlobal('fetch', server.fetch);
  server.conversations = [
    conversation('c3', 'Bread', 3),
    conversation('c2', 'Night sky', 2),
    conversation('c1', 'Day sky', 1),
  ];
  useSidebar.setState({ collapsed: false });
  setSidebarWidth(320);
});

async function open(more: Partial<typeof server.user> = {}) {
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={queryClient}>
      <Sidebar user={{ ...server.user, ...more }} selection="c2" />
    </QueryClientProvider>,
    { wrapper: TooltipProvider },
  );
  await screen.findByText('Bread');
  return user;
}

const titles = () =>
  [...document.querySelectorAll<HTMLElement>('li[data-conversation-id] a')].map((a) => a.title);

describe('the sidebar', () => {
  it('each item shows title and updatedAt date, and a star toggle; the open one is marked', async () => {
    await open();
    expect(titles()).toEqual(['Bread', 'Night sky', 'Day sky']);
    expect(screen.getByRole('link', { current: 'page' }).title).toBe('Night sky');
    const items = [...document.querySelectorAll('li[data-conversation-id]')];
    expect(items.map((item) => item.querySelector('time')?.dateTime)).toEqual(
      server.conversations.map(({ updatedAt }) => updatedAt),
    );
    expect(items[0]?.textContent).toContain(formatDate(server.conversations[0]?.updatedAt ?? ''));
    for (const title of titles()) screen.getByRole('button', { name: `Star “${title}”` });
  });

  it('shows no time under the heading Today; a starred one of today has it', async () => {
    const today = new Date().toISOString();
    server.conversations = [
      { ...conversation('c3', 'Bread', 3), updatedAt: today },
      { ...conversation('c2', 'Night sky', 2), updatedAt: today },
      conversation('c1', 'Day sky', 1),
    ];
    const user = await open();
    const shown = () =>
      [...document.querySelectorAll('li[data-conversation-id] time')].map(
        (time) => !time.classList.contains('sr-only'),
      );
    expect(shown()).toEqual([false, false, true]);
    await user.click(screen.getByRole('button', { name: 'Star “Night sky”' }));
    expect(titles()[0]).toBe('Night sky');
    expect(shown()).toEqual([true, false, true]);
  });

  it('names the other pages in words', async () => {
    await open();
    for (const name of ['Files', 'Memory', 'Personas', 'Settings'])
      expect(screen.getByRole('link', { name }).textContent).toBe(name);
  });

  it('is sorted with starred first, then updatedAt descending; stars are kept and followed across tabs', async () => {
    const user = await open();
    await user.click(screen.getByRole('button', { name: 'Star “Day sky”' }));
    expect(titles()).toEqual(['Day sky', 'Bread', 'Night sky']);
    const key = `stars:${server.user.id}`;
    expect(localStorage.getItem(key)).toBe('["c1"]');

    localStorage.setItem(key, '["c2"]');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key })));
    expect(titles()).toEqual(['Night sky', 'Bread', 'Day sky']);
  });

  it("has a 'Search conversations...' box filtering by title (case-insensitive substring)", async () => {
    const user = await open();
    const search = screen.getByPlaceholderText('Search conversations...');
    await user.type(search, 'SKY');
    expect(titles()).toEqual(['Night sky', 'Day sky']);
    server.answer('GET /api/search', 200, { results: [], next: null });
    await user.type(search, 'x');
    expect(await screen.findByText('Nothing found for “SKYx”.')).toBeTruthy();
  });

  /** The older a conversation, the higher its number; each page holds 50. */
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...conversation(`n${i + 1}`, i === 0 ? 'Bread' : `Night sky ${i + 1}`),
      updatedAt: new Date(Date.UTC(2026, 0, 1) - i * 60_000).toISOString(),
    }));
  const listRequests = () =>
    server.requests
      .filter(({ path }) => path.startsWith('/api/conversations'))
      .map(({ path }) => path);

  it('finds the same titles in a browser whose language has other capitals', async () => {
    // Turkish has another small letter for I.
    vi.spyOn(String.prototype, 'toLocaleLowerCase').mockImplementation(function (this: string) {
      return this.replaceAll('I', 'ı').toLowerCase();
    });
    server.conversations = [conversation('c3', 'Bread', 3), conversation('c1', 'INVOICE', 1)];
    const user = await open();
    await user.type(screen.getByRole('searchbox'), 'invoice');
    expect(titles()).toEqual(['INVOICE']);
  });

  it('loads 50 conversations, and the next 50 when the end of the list comes into view', async () => {
    server.conversations = many(120);
    await open();
    expect(titles()).toHaveLength(50);
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(100));
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(120));
    expect(titles().at(-1)).toBe('Night sky 120');
    expect(screen.queryByText('Loading more conversations')).toBeNull();
    expect(listRequests()).toHaveLength(3);
  });

  it('offers to load older conversations again when that failed', async () => {
    server.conversations = many(60);
    const user = await open();
    const last = many(50).at(-1);
    const route = `GET /api/conversations?${new URLSearchParams({ before: `${last?.updatedAt}_n50` })}`;
    server.answer(route, 503, { message: '-', code: 'unavailable' });
    reachEnd();
    const retry = await screen.findByRole('button', { name: 'Try again' });
    expect(titles()).toHaveLength(50);
    server.usually(route);
    await user.click(retry);
    await waitFor(() => expect(titles()).toHaveLength(60));
  });

  it('searches titles on the server that are not loaded', async () => {
    server.conversations = [
      ...many(60),
      { ...conversation('c9', 'Old Bread'), updatedAt: '2020-01-01T00:00:00.000Z' },
    ];
    const user = await open();
    // Typed, a slow machine asks for a part of it first.
    await user.click(screen.getByPlaceholderText('Search conversations...'));
    await user.paste('bREAD');
    expect(titles()).toEqual(['Bread']);
    expect(screen.queryByText('No results')).toBeNull();
    await waitFor(() => expect(titles()).toEqual(['Bread', 'Old Bread']));
    expect(listRequests().slice(1)).toEqual(['/api/conversations?q=bREAD']);
  });

  it('shows starred conversations also when their page is not loaded', async () => {
    server.conversations = many(120);
    localStorage.setItem(`stars:${server.user.id}`, '["n110","n2","gone"]');
    await open();
    await waitFor(() =>
      expect(titles().slice(0, 3)).toEqual(['Night sky 2', 'Night sky 110', 'Bread']),
    );
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(101));
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(120));
  });

  it('moves a changed conversation to the top from any page, and loads none twice', async () => {
    server.conversations = many(120);
    await open();
    const [changed] = server.conversations.splice(80, 1);
    const updatedAt = '2026-02-01T00:00:00.000Z';
    const renamed = { ...changed, id: 'n81', title: 'Night sky, again', updatedAt } as Conversation;
    server.conversations.push(renamed);
    act(() => upsertConversation(queryClient, renamed));
    await waitFor(() => expect(titles()[0]).toBe('Night sky, again'));
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(101));
    reachEnd();
    await waitFor(() => expect(titles()).toHaveLength(120));
    expect(new Set(titles()).size).toBe(120);
  });

  it('keeps events that arrive while the list is being read', async () => {
    const release = server.hold('GET /api/conversations');
    const opened = open();
    await waitFor(() => expect(listRequests()).toHaveLength(1));
    const stale = server.conversations;
    server.conversations = stale.filter(({ id }) => id !== 'c1');
    act(() => {
      upsertConversation(queryClient, { ...conversation('c2', 'Renamed sky', 4) });
      upsertConversation(queryClient, conversation('c7', 'New sky', 5));
    });
    release();
    await opened;
    expect(titles()).toEqual(['New sky', 'Renamed sky', 'Bread']);
  });

  it('is resized with the keyboard, within 250 to 600 px, and remembers it', async () => {
    const user = await open();
    const edge = screen.getByRole('separator', { name: 'Sidebar width' });
    act(() => edge.focus());
    await user.keyboard('{ArrowRight}');
    expect(edge.getAttribute('aria-valuenow')).toBe('336');
    await user.keyboard('{Home}{ArrowLeft}');
    expect(edge.getAttribute('aria-valuenow')).toBe('250');
    await user.keyboard('{End}{ArrowRight}');
    expect(edge.getAttribute('aria-valuenow')).toBe('600');
    expect(localStorage.getItem('sidebar-width')).toBe('600');
  });

  it("groups conversations under 'Starred', 'Today' and 'Earlier'", async () => {
    const updatedAt = new Date().toISOString();
    server.conversations.push({ ...conversation('c4', 'Lyra'), updatedAt });
    localStorage.setItem(`stars:${server.user.id}`, '["c1"]');
    await open();
    const groups = screen.getAllByRole('region').map((region) => region.textContent);
    expect(groups).toHaveLength(3);
    expect(groups[0]).toMatch(/^StarredDay sky/);
    expect(groups[1]).toMatch(/^TodayLyra\d\d:\d\d/);
    expect(groups[2]).toMatch(/^EarlierBread.*Night sky/);
  });

  it('has a theme toggle labelled Dark Mode or Light Mode', async () => {
    const user = await open();
    const isDark = () => document.documentElement.classList.contains('dark');
    const toggle = screen.getByRole('button', { name: /Mode$/ });
    const before = isDark();
    expect(toggle.textContent).toBe(before ? 'Light Mode' : 'Dark Mode');
    await user.click(toggle);
    expect(isDark()).toBe(!before);
    expect(toggle.textContent).toBe(before ? 'Dark Mode' : 'Light Mode');
  });

  it('collapses to a rail and back', async () => {
    const user = await open();
    await user.click(screen.getByRole('button', { name: 'Collapse sidebar' }));
    expect(screen.queryByText('Bread')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Expand sidebar' }));
    expect(screen.getByText('Bread')).toBeTruthy();
  });

  it('has a footer with avatar initial, name, plan label, upgrade button for Starter users and Sign Out', async () => {
    await open();
    expect(screen.getByText('A')).toBeTruthy();
    expect(screen.getByText('Ada Lovelace')).toBeTruthy();
    expect(screen.getByText('Starter Plan')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign Out' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Upgrade to Pro' }));
    expect(await screen.findByRole('dialog', { name: 'Upgrade to Pro' })).toBeTruthy();
  });

  it('links a user who may not chat to the plans', async () => {
    await open({ subscriptionStatus: null, subscriptionPlan: null });
    const link = screen.getByRole('link', { name: 'No Active Plan' });
    expect(link.getAttribute('href')).toBe('/subscription');
  });

  it('says to a guest without conversations how long they stay', async () => {
    server.conversations = [];
    const guest = { ...server.user, subscriptionStatus: 'guest', subscriptionPlan: null } as const;
    render(
      <QueryClientProvider client={queryClient}>
        <Sidebar user={guest} selection={null} />
      </QueryClientProvider>,
      { wrapper: TooltipProvider },
    );
    await screen.findByText('What you write as a guest is deleted 24 hours after your last visit.');
    expect(screen.queryByRole('link', { name: 'No Active Plan' })).toBeNull();
  });

  it('offers no upgrade to Pro users, and shows the email of a user without a name', async () => {
    await open({ subscriptionPlan: 'pro', firstName: '', lastName: '', email: null });
    expect(screen.getByText('Pro Plan')).toBeTruthy();
    expect(screen.getByText('U')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Upgrade to Pro' })).toBeNull();
  });
});
