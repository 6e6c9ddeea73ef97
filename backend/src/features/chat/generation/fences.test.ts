// What an attempt does that is not the latest one: docs/decisions/0012-takeover-and-charges.md.
import { expect, it, vi } from 'vitest';
import type { ChatProvider } from '../../../llm/index.ts';
import { createLog } from '../../../log.ts';
import { DEFAULT_SETTINGS } from '../messages/index.ts';
import { AttemptAbortedError, streamAttempt } from './attempt.ts';
import { createFinisher } from './finish.ts';
import { FencedError, type ReplyLog } from './log.ts';
import { createReservation } from './prepare.ts';
import type { GeneratedReply, ReplyEnd } from './reply-record.ts';
import { createTakeover } from './takeover.ts';

const REPLY: GeneratedReply = {
  id: 'r',
  conversationId: 'c',
  ownerId: 'o',
  parentId: 'm',
  role: 'assistant',
  content: '',
  createdAt: new Date(0),
  depth: 1,
  status: 'streaming',
  attempt: 2,
  takeovers: 1,
  lostAttempts: 1,
  keptLength: 0,
  jobId: 'j',
  stopRequested: false,
  settings: DEFAULT_SETTINGS,
  heartbeatAt: new Date(0),
  reserved: { promptTokens: 7, replyTokens: 9 },
  sent: { promptTokens: 5 },
};
const PREPARED = { messages: [], metadata: async () => ({}) };
const END: ReplyEnd = {
  status: 'complete',
  parts: [],
  charge: { attempt: 2, promptTokens: 1, completionTokens: 1 },
};

it('an attempt that lost its reply while it reserved does not call the provider', async () => {
  const { reserved: _none, ...reply } = REPLY;
  const reserve = createReservation({
    replies: { beginStream: async () => false },
    usage: { reserve: async () => ({ promptTokens: 7, replyTokens: 9 }) },
    maxTokens: { fast: 9, balanced: 9, deep: 9 },
    budgetTokens: 9,
  });
  await expect(reserve(reply, async () => PREPARED)).rejects.toBeInstanceOf(FencedError);
});

it('an attempt at a panel reserves for each of its calls', async () => {
  const { reserved: _none, ...reply } = REPLY;
  const members = ['a', 'b'].map((id) => ({ id, name: id, version: 1 }));
  const requests: object[] = [];
  const reserve = createReservation({
    replies: { beginStream: async () => true },
    usage: {
      reserve: async (_ownerId, request) => {
        requests.push(request);
        return { promptTokens: request.promptTokens, replyTokens: request.replyTokens };
      },
    },
    maxTokens: { fast: 50, balanced: 100, deep: 200 },
    budgetTokens: 10_000,
  });
  const prepare = async () => ({
    ...PREPARED,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  });
  const one = await reserve(reply, prepare);
  const settings = { ...reply.settings, panel: { synthesis: true, members } };
  const three = await reserve({ ...reply, settings }, prepare);
  if ('refused' in one || 'refused' in three) throw new Error('Both are reserved.');
  expect(one.promptTokens).toBeGreaterThan(0);
  expect(three).toEqual({ promptTokens: 3 * one.promptTokens + 100 + 200, replyTokens: 300 });
  expect(requests).toMatchObject([one, three]);
});

it('an end that is not stored charges and publishes nothing', async () => {
  const call = vi.fn<() => Promise<void>>();
  const finisher = createFinisher({
    replies: { finish: async () => false, markSettled: call, openCharges: async () => [] },
    usage: { settle: call, release: call },
    replyLog: { end: call },
    now: () => new Date(),
    log: createLog({ level: 'silent', name: 'test' }),
  });
  expect(await finisher.end(REPLY, END, { from: 'streaming' })).toBe(false);
  expect(call).not.toHaveBeenCalled();
});

/** Takes `reply` over, and tells in which order what was called. */
async function takeOver(reply: GeneratedReply) {
  const calls: string[] = [];
  const ends: ReplyEnd[] = [];
  const note = (call: string) => async () => {
    calls.push(call);
  };
  const replyLog = {
    fence: note('fence'),
    append: async () => {
      calls.push('append');
      return true;
    },
    read: async () => {
      calls.push('read');
      return [];
    },
  } as Partial<ReplyLog> as ReplyLog;
  const run = createTakeover<{ reply: GeneratedReply }>({
    replyLog,
    usage: { settle: note('settle'), release: note('release') },
    write: note('write'),
    finish: async (_lost, end) => {
      calls.push('finish');
      ends.push(end);
    },
  });
  await run({ reply });
  return { calls, ends };
}

it('a takeover fences the lost attempt off before it reads what that has published', async () => {
  expect((await takeOver(REPLY)).calls).toEqual(['fence', 'read', 'settle', 'write']);
});

it('a takeover charges no prompt that is not known to be sent', async () => {
  const { sent: _unknown, ...reply } = REPLY;
  expect((await takeOver(reply)).calls).toEqual(['fence', 'read', 'release', 'write']);
  const { ends } = await takeOver({ ...reply, stopRequested: true });
  const charge = { attempt: 1, promptTokens: 0, completionTokens: 0, release: true };
  expect(ends).toMatchObject([{ status: 'stopped', charge }]);
});

it('a reply that was to stop is not started again when its worker is lost', async () => {
  const { calls, ends } = await takeOver({ ...REPLY, stopRequested: true });
  expect(calls).toEqual(['fence', 'read', 'finish']);
  expect(ends).toMatchObject([{ status: 'stopped', charge: { attempt: 1, promptTokens: 5 } }]);
});

it.each([
  ['stopped', { status: 'stopped', charge: { promptTokens: 0, completionTokens: 0 } }],
  ['draining', 'released'],
  ['fenced', 'fenced'],
] as const)(
  'an attempt that is %s before its prompt is sent uses nothing',
  async (why, expected) => {
    const controller = new AbortController();
    controller.abort(new AttemptAbortedError(why));
    const stream = vi.fn<ChatProvider['stream']>();
    const outcome = await streamAttempt(
      REPLY,
      {
        calls: [{}],
        prepare: async () => PREPARED,
        maxTokens: 9,
        isShortened: false,
        paceMs: () => 1,
        controller,
      },
      {
        replies: { checkpoint: async () => ({ stopRequested: true }) },
        replyLog: { append: async () => true, ping: async () => undefined },
        provider: { model: 'test', stream },
        now: () => new Date(),
        log: createLog({ level: 'silent', name: 'test' }),
      },
    );
    expect(stream).not.toHaveBeenCalled();
    expect({ outcome }).toMatchObject({ outcome: expected });
  },
);
