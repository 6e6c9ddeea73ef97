import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openScreen, replyOnScreen, server, startServer } from '../chat-screen.fixture.tsx';
import { makeReply, makeUserMessage } from '../chat-server.fixture.ts';
import { describeQueue } from './typing-indicator.tsx';

const at = { replyId: 'r1', conversationId: 'c1' };

beforeEach(async () => {
  startServer();
  server.messages = { c1: [makeUserMessage('c1'), makeReply('c1')] };
  await openScreen();
  await screen.findByText('STOLAS is thinking');
});

const wait = (ahead: number) =>
  act(() => server.push('reply:state', { ...at, attempt: 0, status: 'queued', length: 0, ahead }));
const shown = () => replyOnScreen()?.textContent ?? '';
const heard = () =>
  [...document.querySelectorAll('[aria-live=polite]')].map((it) => it.textContent).join('');

it.each([
  [0, 'You are next'],
  [1, 'Waiting in the queue: 1 reply before yours'],
  [3, 'Waiting in the queue: 3 replies before yours'],
  [1_200, 'Waiting in the queue: 1,200 replies before yours'],
])('with %d replies ahead it reads "%s"', (ahead, text) => {
  expect(describeQueue(ahead)).toBe(text);
});

it('counts down while the reply waits, and ends with its start', () => {
  expect(shown()).not.toContain('queue');
  for (const ahead of [2, 1, 0]) {
    wait(ahead);
    expect(shown()).toContain(describeQueue(ahead));
  }
  act(() => server.push('reply:state', { ...at, attempt: 1, status: 'streaming', length: 0 }));
  expect(shown()).not.toContain('You are next');
  expect(shown()).toContain('STOLAS is thinking');
});

it('is said to screen readers at first and when the reply is next', () => {
  wait(3);
  expect(heard()).toBe('Waiting in the queue: 3 replies before yours');
  wait(2);
  wait(1);
  expect(heard()).toBe('Waiting in the queue: 3 replies before yours');
  wait(0);
  expect(heard()).toBe('You are next');
});

describe('a reply that waits for a worker to exist', () => {
  const NOTE = 'Your message is saved. The reply starts as soon as possible.';
  const runQueued = () =>
    act(() => server.push('reply:state', { ...at, attempt: 0, status: 'queued', length: 0 }));

  it('says after a while that the message is saved, until it starts or has a place in the queue', async () => {
    vi.useFakeTimers();
    try {
      wait(2);
      runQueued();
      expect(shown()).not.toContain(NOTE);
      await act(() => vi.advanceTimersByTimeAsync(8_000));
      expect(shown()).toContain(NOTE);
      wait(2);
      expect(shown()).not.toContain(NOTE);
      act(() => server.push('reply:state', { ...at, attempt: 1, status: 'streaming', length: 0 }));
      await act(() => vi.advanceTimersByTimeAsync(8_000));
      expect(shown()).not.toContain(NOTE);
    } finally {
      vi.useRealTimers();
    }
  });
});
