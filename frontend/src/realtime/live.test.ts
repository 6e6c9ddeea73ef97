import type {
  Message,
  Reply,
  ReplyDelta,
  ReplyState,
  ReplyTail,
  UserMessage,
} from '@stolas/backend/contract';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesKey } from './cache.ts';
import { Live, type LiveListeners } from './live.ts';
import { liveStore, viewOf } from './reply-store.ts';
import type { FetchTail } from './tails.ts';

const CONVERSATION = 'c1';
const at = { replyId: 'r1', conversationId: CONVERSATION };

const question: UserMessage = {
  id: 'm1',
  conversationId: CONVERSATION,
  role: 'user',
  content: 'Which star is that?',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const reply: Reply = {
  id: 'r1',
  conversationId: CONVERSATION,
  role: 'assistant',
  content: '',
  createdAt: '2026-01-01T00:00:00.001Z',
  parentId: 'm1',
  status: 'queued',
  attempt: 0,
};

const frame = (offset: number, delta: string, attempt = 1): ReplyDelta => ({
  ...at,
  attempt,
  offset,
  delta,
});
const state = (status: ReplyState['status'], length: number, attempt = 1): ReplyState => ({
  ...at,
  attempt,
  status,
  length,
});

const listeners = {
  onAccount: vi.fn<LiveListeners['onAccount']>(),
  onSessionEnded: vi.fn<() => void>(),
  onSlow: vi.fn<() => void>(),
  onTurn: vi.fn<LiveListeners['onTurn']>(),
};
const fetchTail = vi.fn<FetchTail>();
let client: QueryClient;
let live: Live;

/** Answers every request for a tail from a whole text. */
function serve(text: string, status: ReplyTail['status'], attempt = 1) {
  fetchTail.mockImplementation(async (_id, have) => {
    const offset = have.attempt === attempt ? have.offset : 0;
    return { ...at, attempt, offset, delta: text.slice(offset), status };
  });
}

const shown = (): Reply | undefined => {
  const list = client.getQueryData<Message[]>(messagesKey(CONVERSATION));
  const found = list?.find(({ id }) => id === 'r1');
  return found?.role === 'assistant' ? found : undefined;
};

beforeEach(() => {
  vi.useFakeTimers();
  fetchTail.mockReset();
  for (const listener of Object.values(listeners)) listener.mockReset();
  client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, reply]);
  live = new Live({ queryClient: client, fetchTail, isFinal: () => false });
  live.start(listeners);
});

afterEach(() => {
  live.stop();
  client.clear();
  vi.useRealTimers();
});

describe('a reply that is pushed', () => {
  it('grows outside the list of messages and enters it whole', () => {
    live.handlers['reply:state'](state('streaming', 0));
    const list = client.getQueryData(messagesKey(CONVERSATION));
    live.handlers['reply:delta'](frame(0, 'That is '));
    live.handlers['reply:delta'](frame(8, 'Vega.'));
    expect(client.getQueryData(messagesKey(CONVERSATION))).toBe(list);
    expect(viewOf('r1')?.text).toBe('That is Vega.');

    live.handlers['reply:state'](state('complete', 13));
    expect(shown()).toMatchObject({ status: 'complete', attempt: 1, content: 'That is Vega.' });
    // Whoever shows it never sees a moment without its text.
    expect(viewOf('r1')).toMatchObject({ status: 'complete', text: 'That is Vega.' });
  });

  it('asks once for what is missing, however many gaps are seen', async () => {
    serve('0123456789', 'streaming');
    live.handlers['reply:delta'](frame(4, '45'));
    live.handlers['reply:delta'](frame(8, '89'));
    expect(fetchTail).toHaveBeenCalledTimes(1);
    expect(fetchTail).toHaveBeenCalledWith('r1', { attempt: 1, offset: 0 });
    await vi.waitFor(() => expect(viewOf('r1')?.text).toBe('0123456789'));
    expect(fetchTail).toHaveBeenCalledTimes(1);
  });

  it('keeps asking when the server is away, and is whole in the end', async () => {
    fetchTail.mockRejectedValueOnce(new Error('503')).mockRejectedValueOnce(new Error('503'));
    live.handlers['reply:state'](state('complete', 4));
    await vi.advanceTimersByTimeAsync(0);
    serve('Vega', 'complete');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(fetchTail).toHaveBeenCalledTimes(3);
    expect(shown()?.content).toBe('Vega');
  });

  it('is left alone when its conversation is not open in this tab', () => {
    live.handlers['reply:delta']({ ...frame(5, 'x'), replyId: 'r9', conversationId: 'other' });
    expect(viewOf('r9')).toBeUndefined();
    expect(fetchTail).not.toHaveBeenCalled();
  });

  it('shows nothing of the former attempt once it is taken up anew', () => {
    live.handlers['reply:delta'](frame(0, 'Old text'));
    live.handlers['reply:state'](state('failed', 8));
    live.handlers['reply:state'](state('streaming', 0, 2));
    live.handlers['reply:delta'](frame(0, 'New', 2));
    live.handlers['reply:delta'](frame(8, ' zombie', 1));
    expect(viewOf('r1')?.text).toBe('New');
    expect(shown()).toMatchObject({ status: 'streaming', attempt: 2 });
  });

  it('is not lost when its frames are faster than the turn', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), []);
    live.handlers['reply:delta'](frame(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    live.handlers['message:created']({ message: question, reply });
    expect(shown()).toMatchObject({ status: 'complete', content: 'Vega' });
    expect(listeners.onTurn).toHaveBeenCalledOnce();
  });

  it('is not set back by a list that was read before it was complete', () => {
    live.handlers['reply:delta'](frame(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    const stale = { ...reply, attempt: 1, status: 'streaming' as const, content: 'Ve' };
    const merged = live.reconcile(CONVERSATION, [question, stale]);
    expect(merged[1]).toMatchObject({ status: 'complete', content: 'Vega' });
  });

  it('keeps a turn that came while the list was being read', () => {
    expect(live.reconcile(CONVERSATION, []).map(({ id }) => id)).toEqual(['m1', 'r1']);
  });
});

describe('a retry', () => {
  const failed = { ...reply, attempt: 1, status: 'failed' as const, content: 'Half' };

  it('waits again at once, with the text that is kept', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, failed]);
    live.retried({ ...failed, status: 'queued' });
    expect(viewOf('r1')).toMatchObject({ status: 'queued', text: 'Half' });
    live.handlers['reply:state'](state('streaming', 0, 2));
    expect(viewOf('r1')).toMatchObject({ attempt: 2, text: '' });
  });

  it('whose answer comes late does not hide the attempt that is running', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, failed]);
    live.handlers['reply:delta'](frame(0, 'New', 2));
    live.retried({ ...failed, status: 'queued', content: '' });
    expect(viewOf('r1')).toMatchObject({ attempt: 2, text: 'New' });
  });
});

describe('without a socket', () => {
  it('a reply is polled every 5 s and says once that it is slow', async () => {
    serve('Ve', 'streaming');
    live.disconnected();
    const end = live.watch(reply);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(fetchTail).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(viewOf('r1')?.text).toBe('Ve');
    serve('Vega', 'complete');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
    expect(listeners.onSlow).toHaveBeenCalledOnce();
    expect(shown()).toMatchObject({ status: 'complete', content: 'Vega' });
    end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
  });

  it('polling gives up after 180 s without news, and goes on when asked to', async () => {
    serve('', 'queued', 0);
    live.disconnected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(liveStore.getState().stalled).toEqual({ r1: true });
    expect(fetchTail).toHaveBeenCalledTimes(36);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchTail).toHaveBeenCalledTimes(36);

    live.refresh('r1');
    expect(liveStore.getState().stalled).toEqual({});
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(38);
  });

  it('polling stops when the socket is back, after catching up once', async () => {
    serve('Vega', 'streaming');
    live.disconnected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(5_000);
    live.connected();
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchTail).toHaveBeenCalledTimes(2);
    live.handlers['reply:delta'](frame(4, ' is near'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
  });
});

describe('with a socket', () => {
  it('a reply that is silent for 10 s is asked for all the same', async () => {
    serve('', 'queued', 0);
    live.connected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(1);
  });

  it('what is not on screen is forgotten when it comes back', () => {
    live.handlers['reply:delta'](frame(0, 'Ve'));
    live.connected();
    expect(client.getQueryData(messagesKey(CONVERSATION))).toBeUndefined();
    expect(viewOf('r1')).toBeUndefined();
  });
});
