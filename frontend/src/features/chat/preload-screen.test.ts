import { beforeEach, expect, it } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { messagesKey } from '../../realtime/index.ts';
import { conversationsQuery } from './api.ts';
import { server, startServer } from './chat-screen.fixture.tsx';
import { makeUserMessage } from './chat-server.fixture.ts';
import { preloadScreen } from './preload-screen.ts';

beforeEach(() => {
  startServer();
  server.messages = { c1: [makeUserMessage('c1', { content: 'Owls' })] };
  window.history.replaceState(null, '', '/?c=c1');
});

const known = () => ({
  titles: queryClient
    .getQueryData(conversationsQuery().queryKey)
    ?.pages.flatMap(({ conversations }) => conversations.map(({ title }) => title)),
  messages: queryClient
    .getQueryData<readonly { content: string }[]>(messagesKey('c1'))
    ?.map(({ content }) => content),
});

it('has read the lists of the first screen', async () => {
  await preloadScreen();
  expect(known()).toEqual({ titles: ['Stars above the house'], messages: ['Owls'] });
});

it('does not wait for a slow answer', async () => {
  const answer = server.hold('GET /api/conversations/c1/messages');
  await preloadScreen();
  expect(known()).toEqual({ titles: ['Stars above the house'], messages: undefined });
  answer();
});
