import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { vi } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { network } from '../../realtime/socket-io.fixture.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { useUser } from '../auth/index.ts';
import { conversation, TestServer } from './chat-server.fixture.ts';
import { ChatPage, preloadReplies, Shell } from './index.ts';

// A reply is on the screen with its message, as in a browser that has loaded the code.
await preloadReplies();

/** The server of the test that runs. */
export let server: TestServer;

/** Before each test: a signed-in user with the empty conversation c1, 'Stars above the house'. */
export function startServer(): void {
  server = new TestServer();
  localStorage.setItem('authToken', 'a-token');
  vi.stubGlobal('fetch', server.fetch);
  network.io = server.io;
  server.conversations = [conversation('c1', 'Stars above the house')];
  server.messages = { c1: [] };
  makeRoom();
}

/** A scroller high enough for every message: otherwise the list mounts only the rows in and near the view. */
function makeRoom(): void {
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return this.dataset.index === undefined ? 2_000 : 100;
    },
  });
}

/** Shows the chat screen at an address, connected. */
export async function openScreen(address = '/?c=c1') {
  window.history.replaceState(null, '', address);
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={queryClient}>
      <Screen />
    </QueryClientProvider>,
  );
  await screen.findByText('Stars above the house', { selector: 'li *' });
  act(() => server.connect());
  return user;
}

function Screen() {
  const { user } = useUser();
  return (
    user && (
      <Shell user={user}>
        <ChatPage user={user} />
      </Shell>
    )
  );
}

export const composer = () => screen.getByPlaceholderText<HTMLTextAreaElement>('Message STOLAS...');
export const replyOnScreen = () => document.querySelector<HTMLElement>('[data-role=assistant]');
export const toasted = () => useToastStore.getState().current;
