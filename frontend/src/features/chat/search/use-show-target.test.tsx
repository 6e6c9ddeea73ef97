import { act, screen, waitFor } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { showInThread } from '../../../lib/thread-target.ts';
import { composer, openScreen, server, startServer } from '../chat-screen.fixture.tsx';
import { makeThread } from '../chat-server.fixture.ts';

const scrolledTo: (string | null)[] = [];

beforeAll(async () => {
  // The test environment has no layout.
  HTMLElement.prototype.scrollIntoView = function scrollIntoView() {
    scrolledTo.push(this.textContent);
  };
  await Promise.all([import('./reach-message.ts'), import('./go-to-target.ts')]);
});
beforeEach(() => {
  scrolledTo.length = 0;
  startServer();
  server.messages = { c1: makeThread('First', 'One.\n\n**Two.**') };
});
const focused = () => document.activeElement;

it('shows a place in a message, marks it and leaves the focus where it is', async () => {
  await openScreen();
  const place = await screen.findByText('Two.');
  act(() => composer().focus());
  act(() => showInThread({ messageId: 'r1', within: 'strong', keepsFocus: true }));
  await waitFor(() => expect(place.dataset.shown).toBe(''));
  expect(scrolledTo).toEqual(['Two.']);
  expect(focused()).toBe(composer());
});

it('shows the message when it has no such place, and moves the focus there', async () => {
  await openScreen();
  await screen.findByText('Two.');
  act(() => showInThread({ messageId: 'r1', within: '.nowhere' }));
  const message = document.querySelector('[data-message-id=r1]');
  await waitFor(() => expect(focused()).toBe(message));
  expect(scrolledTo).toHaveLength(1);
});

it('shows a place again when it is asked for again', async () => {
  await openScreen();
  await screen.findByText('Two.');
  for (const times of [1, 2]) {
    act(() => showInThread({ messageId: 'r1', within: 'strong', keepsFocus: true }));
    await waitFor(() => expect(scrolledTo).toHaveLength(times));
  }
});
