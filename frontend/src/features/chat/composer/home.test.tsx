import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composer, openScreen, replyOnScreen, startServer } from '../chat-screen.fixture.tsx';
import type { TestServer } from '../chat-server.fixture.ts';

let server: TestServer;

beforeEach(() => {
  server = startServer();
});

const touch = (isTouch: boolean) =>
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(new EventTarget(), {
      matches: query === `(pointer: ${isTouch ? 'coarse' : 'fine'})`,
    } as MediaQueryList),
  );

describe('home', () => {
  it('is ready to type, and Enter starts a new conversation', async () => {
    touch(false);
    const user = await openScreen(server, '/');
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

  it('shares its draft with a new conversation, and keeps it while another one is looked at', async () => {
    const user = await openScreen(server, '/');
    await user.type(composer(), 'Half a thought');
    await user.click(screen.getByRole('button', { name: 'Start New Conversation' }));
    expect(composer().value).toBe('Half a thought');
    await user.click(screen.getByRole('link', { name: /Stars above/ }));
    expect(composer().value).toBe('');
    await user.click(screen.getByRole('button', { name: 'New Chat' }));
    expect(composer().value).toBe('Half a thought');
  });

  it('has no empty heading', async () => {
    await openScreen(server, '/');
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
    const user = await openScreen(server);
    touch(true);
    await user.type(composer(), 'one{Enter}two');
    expect(composer().value).toBe('one\ntwo');
    expect(server.posted('/api/conversations/c1/messages')).toEqual([]);
  });

  it("Composer: hint 'Press Enter to send • Shift+Enter for new line'", async () => {
    await openScreen(server);
    const hint = screen.getByText('Press Enter to send • Shift+Enter for new line');
    expect(hint.className).toContain('pointer-coarse:hidden');
  });
});
