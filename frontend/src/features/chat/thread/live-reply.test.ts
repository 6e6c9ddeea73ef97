import type { Reply } from '@stolas/backend/contract';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesKey } from '../../../realtime/index.ts';
import { Live } from '../../../realtime/live.ts';
import { makeReply } from '../chat-server.fixture.ts';
import { LiveReply } from './live-reply.ts';

const at = { replyId: 'r1', conversationId: 'c1', attempt: 1 };
const client = new QueryClient();
const server = new Live({
  queryClient: client,
  fetchTail: () => new Promise(() => {}),
  isFinal: () => false,
});
const drawn = vi.fn<() => void>();
let shown: LiveReply['shown'];
let end: () => void;
let offset = 0;

function show(reply: Reply) {
  client.setQueryData(messagesKey('c1'), [reply]);
  const live = new LiveReply(reply, { isAnimated: () => true });
  end = live.subscribe(drawn);
  drawn.mockReset();
  ({ shown } = live);
}

function push(delta: string, part = 0, type: 'text' | 'reasoning' = 'text') {
  server.handlers['reply:delta']({ ...at, part, type, offset, delta });
  offset += delta.length;
}

beforeEach(() => {
  vi.useFakeTimers();
  offset = 0;
  show(makeReply('c1'));
});

afterEach(() => {
  end();
  server.stop();
  client.clear();
  vi.useRealTimers();
});

describe('a reply on screen', () => {
  it('is drawn once per chunk', () => {
    for (let n = 0; n < 10; n += 1) {
      push('night owls ');
      vi.advanceTimersByTime(40);
    }
    expect(drawn).toHaveBeenCalledTimes(10);
    expect(shown().parts).toEqual([{ type: 'text', text: 'night owls '.repeat(10) }]);
  });

  it('shows reasoning as a part of its own', () => {
    push('Let me see. ', 0, 'reasoning');
    push('Vega.', 1);
    expect(shown().parts).toEqual([
      { type: 'reasoning', text: 'Let me see. ' },
      { type: 'text', text: 'Vega.' },
    ]);
  });

  it('is marked as quiet after a second without text, until text arrives', () => {
    vi.advanceTimersByTime(5_000);
    expect(shown().isQuiet).toBe(false);
    push('Ve');
    vi.advanceTimersByTime(999);
    expect(shown().isQuiet).toBe(false);
    vi.advanceTimersByTime(1);
    expect(shown().isQuiet).toBe(true);
    push('ga');
    expect(shown().isQuiet).toBe(false);
    server.handlers['reply:state']({ ...at, status: 'complete', length: 4 });
    vi.advanceTimersByTime(2_000);
    expect(shown()).toMatchObject({ isQuiet: false, isEnded: true, status: 'complete' });
  });

  it('ends only when all of its text is shown', () => {
    server.handlers['reply:state']({ ...at, status: 'streaming', length: 0 });
    server.handlers['reply:state']({ ...at, status: 'complete', length: 4 });
    expect(shown().isEnded).toBe(false);
    push('Vega');
    expect(shown().isEnded).toBe(false);
    vi.advanceTimersByTime(200);
    expect(shown().isEnded).toBe(true);
  });

  it('keeps what is shown while the beginning of a new attempt is missing', () => {
    push('Once upon');
    server.handlers['reply:delta']({
      ...at,
      attempt: 2,
      part: 0,
      type: 'text',
      offset: 9,
      delta: ' a',
    });
    expect(shown().parts).toEqual([{ type: 'text', text: 'Once upon' }]);
  });
});
