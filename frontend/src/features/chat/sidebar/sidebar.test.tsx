import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { conversation, TestServer } from '../chat-server.fixture.ts';
import { Sidebar } from './sidebar.tsx';
import { setSidebarWidth, useSidebar } from './sidebar-store.ts';

let server: TestServer;

beforeEach(() => {
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

afterEach(() => queryClient.clear());

async function open(more: Partial<typeof server.user> = {}) {
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <Sidebar user={{ ...server.user, ...more }} selection="c2" />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  await screen.findByText('Bread');
  return user;
}

const titles = () => screen.queryAllByRole('link', { name: /Bread|sky/ }).map((a) => a.title);

describe('the sidebar', () => {
  it('lists the newest first and marks the open one', async () => {
    await open();
    expect(titles()).toEqual(['Bread', 'Night sky', 'Day sky']);
    expect(screen.getByRole('link', { current: 'page' }).title).toBe('Night sky');
  });

  it('puts starred ones first, remembers them, and hears of stars in other tabs', async () => {
    const user = await open();
    await user.click(screen.getAllByRole('button', { name: 'Add star' })[2] as HTMLElement);
    expect(titles()).toEqual(['Day sky', 'Bread', 'Night sky']);
    const key = `stars:${server.user.id}`;
    expect(localStorage.getItem(key)).toBe('["c1"]');

    localStorage.setItem(key, '["c2"]');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key })));
    expect(titles()).toEqual(['Night sky', 'Bread', 'Day sky']);
  });

  it('finds titles whatever their case, and says when there are none', async () => {
    const user = await open();
    const search = screen.getByPlaceholderText('Search conversations...');
    await user.type(search, 'SKY');
    expect(titles()).toEqual(['Night sky', 'Day sky']);
    await user.type(search, 'x');
    expect(screen.getByText('No results')).toBeTruthy();
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

  it('collapses to a rail and back', async () => {
    const user = await open();
    await user.click(screen.getByRole('button', { name: 'Collapse sidebar' }));
    expect(screen.queryByText('Bread')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Expand sidebar' }));
    expect(screen.getByText('Bread')).toBeTruthy();
  });

  it('says who is there and offers Starter the upgrade', async () => {
    await open();
    expect(screen.getByText('Ada Lovelace')).toBeTruthy();
    expect(screen.getByText('Starter Plan')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Upgrade to Pro' }).getAttribute('href')).toBe(
      '/subscription?change=true',
    );
  });

  it('has nothing to sell to Pro, and a name for those who gave none', async () => {
    await open({ subscriptionPlan: 'pro', firstName: '', lastName: '', email: null });
    expect(screen.getByText('Pro Plan')).toBeTruthy();
    expect(screen.getByText('U')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Upgrade to Pro' })).toBeNull();
  });
});
