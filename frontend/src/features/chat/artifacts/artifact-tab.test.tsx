import type { Message } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { makeReply, makeUserMessage } from '../chat-server.fixture.ts';
import { ArtifactTab } from './artifact-tab.tsx';

const idOf = (n: number) => String(n).padStart(24, '0');
const CONVERSATION = idOf(9);
const LAST_PAGE = `GET /api/conversations/${CONVERSATION}/messages?limit=50`;
const pageAbove = (id: string) =>
  `GET /api/conversations/${CONVERSATION}/messages?before=${id}&limit=50`;

const clock = makeReply(CONVERSATION, {
  id: idOf(2),
  status: 'complete',
  parentId: idOf(1),
  parts: [{ type: 'text', text: '```html\n<h1>Clock</h1>\n<script>start()</script>\n```' }],
});
const asked = (id: string, parentId: string | null): Message =>
  makeUserMessage(CONVERSATION, { id, parentId });

function open(address: string): void {
  navigate(address);
  render(
    <QueryClientProvider client={queryClient}>
      <ArtifactTab />
    </QueryClientProvider>,
  );
}

const ADDRESS = `/artifact?c=${CONVERSATION}&artifact=${idOf(2)}-0`;

it('finds an artifact on an earlier page of the conversation, and runs it by a click only', async () => {
  fakeServer({
    [LAST_PAGE]: { body: [asked(idOf(3), idOf(2))] },
    [pageAbove(idOf(3))]: { body: [asked(idOf(1), null), clock] },
  });
  open(ADDRESS);
  expect(await screen.findByRole('heading', { name: 'Clock' })).toBeTruthy();
  expect(screen.getByText('Web page')).toBeTruthy();
  const frame = screen.getByTitle('Clock');
  expect(frame.getAttribute('sandbox')).toBe('allow-scripts');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  expect(screen.queryByRole('button', { name: 'Run' })).toBeNull();
});

it.each([
  ['that is not in the conversation', ADDRESS],
  ['that no address names', '/artifact?c=x'],
])('says of an artifact %s that it is gone', async (_name, address) => {
  fakeServer({ [LAST_PAGE]: { body: [asked(idOf(1), null)] } });
  open(address);
  expect(
    await screen.findByText('This artifact is not in the conversation any more.'),
  ).toBeTruthy();
});

it('can be loaded again after a failure', async () => {
  const { answers } = fakeServer({ [LAST_PAGE]: { status: 500, body: {} } });
  open(ADDRESS);
  const again = await screen.findByRole('button', { name: 'Try again' });
  answers[LAST_PAGE] = { body: [asked(idOf(1), null), clock] };
  await userEvent.click(again);
  expect(await screen.findByRole('heading', { name: 'Clock' })).toBeTruthy();
});
