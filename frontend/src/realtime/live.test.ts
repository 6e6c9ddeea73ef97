import type {
  Message,
  Reply,
  ReplyDelta,
  ReplyState,
  ReplyTail,
  UserMessage,
  WatchAnswer,
} from '@stolas/backend/contract';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesKey } from './cache.ts';
import { numbersOf } from './channel-numbers.ts';
import { filesKey, removeFile } from './file-cache.ts';
import { Live, type LiveListeners } from './live.ts';
import { contentOf } from './reply-reducer.ts';
import { isStalled, subscribeReply, viewOf } from './reply-store.ts';
import type { FetchTail } from './tails.ts';

const CONVERSATION = 'c1';
const at = { replyId: 'r1', conversationId: CONVERSATION };

const question: UserMessage = {
  id: 'm1',
  conversationId: CONVERSATION,
  role: 'user',
  content: 'Which star is that?',
  createdAt: '2026-01-01T00:00:00.000Z',
  parentId: null,
  siblingIds: ['m1'],
};
const reply: Reply = {
  id: 'r1',
  conversationId: CONVERSATION,
  role: 'assistant',
  content: '',
  createdAt: '2026-01-01T00:00:00.001Z',
  parentId: 'm1',
  siblingIds: ['r1'],
  status: 'queued',
  attempt: 0,
  parts: [],
};

const delta = (offset: number, text: string, attempt = 1): ReplyDelta => ({
  ...at,
  attempt,
  part: 0,
  type: 'text',
  offset,
  delta: text,
});
const partsOf = (text: string): Reply['parts'] => [{ type: 'text', text }];
const textOf = (replyId: string) => {
  const view = viewOf(replyId);
  return view && contentOf(view.parts);
};
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
  onSlowEnded: vi.fn<() => void>(),
  onSent: vi.fn<LiveListeners['onSent']>(),
};
const fetchTail = vi.fn<FetchTail>();
let client: QueryClient;
let live: Live;

/** Answers every request for a tail from a whole text. */
function serve(text: string, status: ReplyTail['status'], attempt = 1) {
  fetchTail.mockImplementation(async (_id, have) => {
    const offset = have.attempt === attempt ? have.offset : 0;
    const piece = { part: 0, type: 'text' as const, offset, delta: text.slice(offset) };
    const deltas = piece.delta === '' ? [] : [piece];
    return { ...at, attempt, offset, deltas, length: text.length, status };
  });
}

/** Answers only that the request was given up. */
const never: FetchTail = (_id, _have, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const text = (content: string) => ({ content, parts: partsOf(content) });

const endings: (() => void)[] = [];

/** Reads the messages as an open conversation does. */
function observe(page: () => Promise<Message[]>) {
  const read = vi.fn<typeof page>(page);
  const observer = new QueryObserver(client, {
    queryKey: messagesKey(CONVERSATION),
    queryFn: () => live.read(CONVERSATION, read),
  });
  endings.push(observer.subscribe(() => {}));
  return read;
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
  numbersOf(client).put(messagesKey(CONVERSATION), [question, reply]);
  live = new Live({ queryClient: client, fetchTail, isFinal: () => false });
  live.start(listeners);
});

afterEach(() => {
  for (const end of endings.splice(0)) end();
  live.stop();
  client.clear();
  vi.useRealTimers();
});

describe('a reply that is pushed', () => {
  it('grows outside the list of messages and enters it when complete', () => {
    live.handlers['reply:state'](state('streaming', 0));
    const list = client.getQueryData(messagesKey(CONVERSATION));
    live.handlers['reply:delta'](delta(0, 'That is '));
    live.handlers['reply:delta'](delta(8, 'Vega.'));
    expect(client.getQueryData(messagesKey(CONVERSATION))).toBe(list);
    expect(textOf('r1')).toBe('That is Vega.');

    live.handlers['reply:state'](state('complete', 13));
    expect(shown()).toMatchObject({ status: 'complete', attempt: 1, content: 'That is Vega.' });
    // Its text is never missing in between.
    expect(viewOf('r1')).toMatchObject({ status: 'complete', parts: partsOf('That is Vega.') });
  });

  it('requests the tail once, however many gaps it has', async () => {
    serve('0123456789', 'streaming');
    live.handlers['reply:delta'](delta(4, '45'));
    live.handlers['reply:delta'](delta(8, '89'));
    expect(fetchTail).toHaveBeenCalledTimes(1);
    expect(fetchTail).toHaveBeenCalledWith(
      'r1',
      { attempt: 1, offset: 0 },
      expect.any(AbortSignal),
    );
    await vi.waitFor(() => expect(textOf('r1')).toBe('0123456789'));
    expect(fetchTail).toHaveBeenCalledTimes(1);
  });

  it('keeps requesting while the server is unreachable, and completes in the end', async () => {
    fetchTail.mockRejectedValueOnce(new Error('503')).mockRejectedValueOnce(new Error('503'));
    live.handlers['reply:state'](state('complete', 4));
    await vi.advanceTimersByTimeAsync(0);
    serve('Vega', 'complete');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(fetchTail).toHaveBeenCalledTimes(3);
    expect(shown()?.content).toBe('Vega');
  });

  it('is ignored when its conversation is not open in this tab', () => {
    live.handlers['reply:delta']({ ...delta(5, 'x'), replyId: 'r9', conversationId: 'other' });
    expect(viewOf('r9')).toBeUndefined();
    expect(fetchTail).not.toHaveBeenCalled();
  });

  it('shows nothing of the former attempt once a new one begins', () => {
    live.handlers['reply:delta'](delta(0, 'Old text'));
    live.handlers['reply:state'](state('failed', 8));
    live.handlers['reply:state'](state('streaming', 0, 2));
    live.handlers['reply:delta'](delta(0, 'New', 2));
    live.handlers['reply:delta'](delta(8, ' zombie', 1));
    expect(textOf('r1')).toBe('New');
    expect(shown()).toMatchObject({ status: 'streaming', attempt: 2 });
  });

  it('is not lost when its deltas arrive before its message', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), []);
    live.handlers['reply:delta'](delta(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    live.handlers['message:created']({ message: question, reply });
    expect(shown()).toMatchObject({ status: 'complete', content: 'Vega' });
    expect(listeners.onSent).toHaveBeenCalledOnce();
  });

  it('is not reset by a list that was read before it was complete', async () => {
    live.handlers['reply:delta'](delta(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    const stale = { ...reply, attempt: 1, status: 'streaming' as const, ...text('Ve') };
    const merged = await live.read(CONVERSATION, async () => [question, stale]);
    expect(merged[1]).toMatchObject({ status: 'complete', content: 'Vega' });
  });

  it('gets with its end what is known by then, and keeps what came after that', () => {
    const depthReceipt = { requested: 'deep', applied: 'deep' } as never;
    const receipt = (count: number) => ({ files: Array.from({ length: count }, () => ({})) });
    const metadata = () =>
      client
        .getQueryData<readonly Message[]>(messagesKey(CONVERSATION))
        ?.find(({ id }) => id === 'r1')?.metadata;
    live.handlers['reply:delta'](delta(0, 'Vega'));
    live.handlers['reply:state']({
      ...state('complete', 4),
      metadata: { depthReceipt, ...receipt(0) },
    });
    expect(metadata()).toEqual({ depthReceipt, ...receipt(0) });
    const ended = {
      ...reply,
      status: 'complete' as const,
      attempt: 1,
      parts: partsOf('Vega'),
      content: 'Vega',
    };
    live.handlers['message:updated']({ ...ended, metadata: { depthReceipt, ...receipt(2) } });
    live.handlers['reply:state']({
      ...state('complete', 4),
      metadata: { depthReceipt, ...receipt(0) },
    });
    expect(metadata()).toEqual({ depthReceipt, ...receipt(2) });
  });

  it('gets what is known only at its end', () => {
    const metadata = { files: [{ name: 'chart.pdf' }] };
    live.handlers['reply:delta'](delta(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    const stored = { ...reply, attempt: 1, status: 'complete' as const, ...text('Vega'), metadata };
    live.handlers['message:updated'](stored);
    expect(shown()).toEqual(stored);
    live.handlers['message:updated']({ ...stored, id: 'r7', conversationId: 'other' });
    expect(client.getQueryData(messagesKey('other'))).toBeUndefined();
  });

  it('keeps what is known only at its end when a page was read before that', async () => {
    const before = { ...reply, attempt: 1, status: 'complete' as const, ...text('Vega') };
    const metadata = { insightCards: [{ insight: 'A star' }] };
    const merged = await live.read(CONVERSATION, async () => {
      live.handlers['message:updated']({ ...before, metadata });
      return [question, before];
    });
    expect(merged[1]).toEqual({ ...before, metadata });
  });

  it('gets what is known only at its end by reading again when the event was missed', async () => {
    live.handlers['reply:delta'](delta(0, 'Vega'));
    live.handlers['reply:state'](state('complete', 4));
    expect(shown()?.metadata).toBeUndefined();
    const metadata = { insightCards: [{ insight: 'A star' }] };
    const stored = { ...reply, attempt: 1, status: 'complete' as const, ...text('Vega'), metadata };
    observe(async () => [question, stored]);
    live.handlers['channel:joined']({ number: 1 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(shown()).toEqual(stored);
  });
});

describe('a conversation that is shown', () => {
  const connect = (answer: () => Promise<WatchAnswer> = async () => ({})) =>
    live.connected({ watch: answer, unwatch: () => {}, typing: () => {} });

  it('has the text that was published before its deltas arrive', async () => {
    observe(async () => [question, reply]);
    let confirm: (answer: WatchAnswer) => void = () => {};
    connect(
      () =>
        new Promise((resolve) => {
          confirm = resolve;
        }),
    );
    endings.push(live.show(CONVERSATION), live.watch(reply));
    live.handlers['reply:state'](state('streaming', 0));
    live.handlers['reply:delta'](delta(0, 'Ve'));
    serve('Vega', 'streaming');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fetchTail).not.toHaveBeenCalled();
    confirm({});
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchTail).toHaveBeenCalledExactlyOnceWith(
      'r1',
      { attempt: 1, offset: 2 },
      expect.any(AbortSignal),
    );
    expect(contentOf(viewOf('r1')?.parts ?? [])).toBe('Vega');
  });

  it('reads the text once more when its messages were read before its deltas arrive', async () => {
    client.removeQueries();
    const streaming = { ...reply, attempt: 1, status: 'streaming' as const, ...text('Ve') };
    serve('Vega', 'streaming');
    connect();
    observe(async () => {
      endings.push(live.show(CONVERSATION));
      await vi.advanceTimersByTimeAsync(10);
      return [question, streaming];
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(contentOf(viewOf('r1')?.parts ?? [])).toBe('Vega');
  });

  it('has its text at once on another connection, although a request on the former one has no answer', async () => {
    observe(async () => [question, reply]);
    connect();
    endings.push(live.show(CONVERSATION), live.watch(reply));
    await vi.advanceTimersByTimeAsync(0);
    live.handlers['reply:delta'](delta(0, 'Ve'));
    fetchTail.mockImplementation(never);
    live.handlers['reply:delta'](delta(4, ' is near'));
    live.disconnected();
    serve('Vega is near', 'streaming');
    connect();
    await vi.advanceTimersByTimeAsync(0);
    expect(textOf('r1')).toBe('Vega is near');
    expect(fetchTail).toHaveBeenCalledTimes(2);
  });
});

describe('after a gap', () => {
  it('what is on screen is read within the time that the server gives, other lists a little later', async () => {
    const readPage = observe(async () => [question, reply]);
    const readFiles = vi.fn<() => Promise<string[]>>(async () => []);
    const files = new QueryObserver(client, { queryKey: filesKey, queryFn: readFiles });
    removeFile(client, 'f1');
    endings.push(files.subscribe(() => {}));
    await vi.advanceTimersByTimeAsync(0);
    readPage.mockClear();
    readFiles.mockClear();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    live.handlers.gap({ spreadMs: 8_000 });
    await vi.advanceTimersByTimeAsync(3_900);
    expect(readPage).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    expect(readPage).toHaveBeenCalledOnce();
    expect(readFiles).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(readFiles).toHaveBeenCalledOnce();
  });
});

describe('the active path', () => {
  const second: UserMessage = { ...question, id: 'm2', parentId: 'r1', siblingIds: ['m2'] };
  const secondReply: Reply = { ...reply, id: 'r2', parentId: 'm2', siblingIds: ['r2'] };
  const sent = { message: second, reply: secondReply };
  const ids = () => client.getQueryData<Message[]>(messagesKey(CONVERSATION))?.map(({ id }) => id);

  it('is extended once by a message that was sent elsewhere', () => {
    live.handlers['message:created'](sent);
    live.addSent(sent);
    expect(ids()).toEqual(['m1', 'r1', 'm2', 'r2']);
  });

  it('moves to a new branch, and the late answer to an older send does not move it back', () => {
    live.addSent(sent);
    const edited = {
      message: { ...question, id: 'm3', siblingIds: ['m1', 'm3'] },
      reply: { ...reply, id: 'r3', parentId: 'm3' },
    };
    live.handlers['message:created'](edited);
    expect(ids()).toEqual(['m3', 'r3']);
    live.addSent(sent);
    expect(ids()).toEqual(['m3', 'r3']);
  });

  it('shows a regenerated reply in place of the former one', () => {
    live.addSent(sent);
    const again = { ...secondReply, id: 'r4', siblingIds: ['r2', 'r4'] };
    live.handlers['message:created']({ message: second, reply: again });
    expect(ids()).toEqual(['m1', 'r1', 'm2', 'r4']);
  });

  it('is read again when the parent is not in this tab', async () => {
    const read = observe(async () => [question, reply, second, secondReply]);
    live.handlers['message:created']({ ...sent, message: { ...second, parentId: 'r9' } });
    await vi.advanceTimersByTimeAsync(0);
    expect(read).toHaveBeenCalledOnce();
  });

  it('is read again when another leaf became the active one, and not for its own', async () => {
    const read = observe(async () => [question, { ...reply, id: 'r5' }]);
    const settings = {
      personaId: null,
      depth: 'balanced',
      memory: 'on',
      temporary: false,
    } as const;
    const changed = { id: CONVERSATION, title: 'T', createdAt: '', updatedAt: '', ...settings };
    live.handlers['conversation:changed']({ ...changed, activeLeafId: 'r1' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
    live.handlers['conversation:changed']({ ...changed, activeLeafId: 'r5' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).toHaveBeenCalledOnce();
    expect(ids()).toEqual(['m1', 'r5']);
  });

  it('drops a branch that is not the active one any more', async () => {
    live.addSent(sent);
    const merged = await live.read(CONVERSATION, async () => [question, reply]);
    expect(merged.map(({ id }) => id)).toEqual(['m1', 'r1']);
  });

  it('keeps earlier pages that join the page that was read', async () => {
    live.addSent(sent);
    const merged = await live.read(CONVERSATION, async () => [second, secondReply]);
    expect(merged.map(({ id }) => id)).toEqual(['m1', 'r1', 'm2', 'r2']);
    const elsewhere = { ...second, parentId: 'r8' };
    const other = await live.read(CONVERSATION, async () => [elsewhere, secondReply]);
    expect(other.map(({ id }) => id)).toEqual(['m2', 'r2']);
  });

  it('grows upwards by earlier pages, each once', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [second, secondReply]);
    live.prepend(CONVERSATION, 'm2', [question, reply]);
    live.prepend(CONVERSATION, 'm2', [question, reply]);
    expect(ids()).toEqual(['m1', 'r1', 'm2', 'r2']);
  });
});

describe('a reply that is continued', () => {
  const cut = { ...reply, attempt: 1, status: 'interrupted' as const, ...text('Half') };

  it('is queued again at once, with its kept text', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, cut]);
    live.continued({ ...cut, status: 'queued' });
    expect(viewOf('r1')).toMatchObject({ status: 'queued', parts: partsOf('Half') });
    expect(shown()?.status).toBe('queued');
  });

  it('in another tab loses what its former end said', () => {
    const full = { ...cut, status: 'complete' as const, ending: 'length' as const };
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, full]);
    const queued = { ...at, attempt: 2, status: 'queued' as const, length: 4 };
    live.handlers['reply:state'](queued);
    expect(shown()).toMatchObject({ status: 'queued' });
    expect(shown()).not.toHaveProperty('ending');
  });

  it('does not hide the running attempt when its answer is late', () => {
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), [question, cut]);
    live.handlers['reply:delta'](delta(0, 'New', 2));
    live.continued({ ...cut, status: 'queued' });
    expect(viewOf('r1')).toMatchObject({ attempt: 2, parts: partsOf('New') });
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
    expect(textOf('r1')).toBe('Ve');
    serve('Vega', 'complete');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
    expect(listeners.onSlow).toHaveBeenCalledOnce();
    expect(shown()).toMatchObject({ status: 'complete', content: 'Vega' });
    end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
  });

  it('polling ends after 180 s without news, and continues on request', async () => {
    serve('', 'queued', 0);
    live.disconnected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(isStalled('r1')).toBe(true);
    expect(fetchTail).toHaveBeenCalledTimes(36);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchTail).toHaveBeenCalledTimes(36);

    live.refresh('r1');
    expect(isStalled('r1')).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(38);
  });

  it('a request without an answer is given up after 30 s, and polling goes on', async () => {
    fetchTail.mockImplementation(never);
    live.disconnected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(5_000);
    serve('Vega', 'streaming');
    await vi.advanceTimersByTimeAsync(25_000);
    expect(fetchTail).toHaveBeenCalledOnce();
    expect(fetchTail.mock.lastCall?.[2].aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail.mock.calls[0]?.[2].aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(textOf('r1')).toBe('Vega');
  });

  it('polling stops when the socket is back, after catching up once', async () => {
    serve('Vega', 'streaming');
    live.disconnected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(5_000);
    live.connected();
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchTail).toHaveBeenCalledTimes(2);
    live.handlers['reply:delta'](delta(4, ' is near'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(2);
  });
});

describe('with a socket', () => {
  it('a reply that is silent for 10 s is polled', async () => {
    serve('', 'queued', 0);
    live.connected();
    live.watch(reply);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fetchTail).toHaveBeenCalledTimes(1);
  });

  it('cached data that is not on screen is dropped on reconnect', () => {
    live.handlers['reply:delta'](delta(0, 'Ve'));
    live.connected();
    live.handlers['channel:joined']({ number: 1 });
    expect(client.getQueryData(messagesKey(CONVERSATION))).toBeUndefined();
    expect(viewOf('r1')).toBeUndefined();
  });

  it('reconnecting costs the same per reply with a thousand as with ten', () => {
    const notified = vi.fn<() => void>();
    const ids = Array.from({ length: 1_000 }, (_, n) => `r${n}`);
    const list = ids.map((id): Reply => ({ ...reply, id, ...text('x'), status: 'complete' }));
    client.setQueryData<Message[]>(messagesKey(CONVERSATION), list);
    for (const id of ids) live.handlers['reply:delta']({ ...delta(0, 'y', 2), replyId: id });
    for (const id of ids) endings.push(subscribeReply(id, notified));
    live.connected();
    expect(notified).toHaveBeenCalledTimes(1_000);
    expect(viewOf('r999')).toBeUndefined();
  });
});
