// Actions of an attempt that is not the latest: docs/decisions/0012-takeover-and-charges.md.
import { expect, it, vi } from 'vitest';
import { AppError } from '../../../errors.ts';
import type { ChatProvider } from '../../../llm/index.ts';
import { createLog } from '../../../log.ts';
import { ownPayer } from '../../payer.ts';
import { DEFAULT_SETTINGS, type MessageRecord } from '../messages/index.ts';
import { AttemptAbortedError, streamAttempt } from './attempt.ts';
import type { ReplyWorker } from './feature.ts';
import { endReply } from './finish.ts';
import { Heartbeats } from './heartbeats.ts';
import { FencedError } from './log.ts';
import { reserveAttempt } from './prepare.ts';
import type { GeneratedReply, ReplyEnd } from './reply-record.ts';
import { takeOver } from './runner.ts';

const REPLY: GeneratedReply = {
  id: 'r',
  conversationId: 'c',
  ownerId: 'o',
  authorId: 'o',
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
  payer: ownPayer('o'),
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

/** A worker with only the parts that a test uses. */
const workerWith = (parts: object): ReplyWorker =>
  ({
    now: () => new Date(),
    log: createLog({ level: 'silent', name: 'test' }),
    heartbeats: new Heartbeats({
      checkpoint: async () => ({ stopRequested: true }),
      beatAll: async () => false,
    }),
    limits: { contextTokens: 10_000, maxReplyTokens: { fast: 50, balanced: 100, deep: 200 } },
    ...parts,
  }) as never;

it('an attempt that lost its reply while it reserved does not call the provider', async () => {
  const { reserved: _none, ...reply } = REPLY;
  const usage = { reserve: async () => ({ promptTokens: 7, replyTokens: 9 }) };
  const worker = workerWith({
    replies: { beginStream: async () => false },
    others: { usage },
  });
  const reserving = reserveAttempt(worker, reply, async () => PREPARED);
  await expect(reserving).rejects.toBeInstanceOf(FencedError);
});

it('an attempt at a panel reserves for each of its calls', async () => {
  const { reserved: _none, ...reply } = REPLY;
  const members = ['a', 'b'].map((id) => ({ id, name: id, version: 1 }));
  const requests: object[] = [];
  const usage = {
    reserve: async (_ownerId: string, request: { promptTokens: number; replyTokens: number }) => {
      requests.push(request);
      return { promptTokens: request.promptTokens, replyTokens: request.replyTokens };
    },
  };
  const worker = workerWith({
    replies: { beginStream: async () => true },
    others: { usage },
  });
  const prepare = async () => ({
    ...PREPARED,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  });
  const one = await reserveAttempt(worker, reply, prepare);
  const settings = { ...reply.settings, panel: { synthesis: true, members } };
  const three = await reserveAttempt(worker, { ...reply, settings }, prepare);
  if ('refused' in one || 'refused' in three) throw new Error('Both are reserved.');
  expect(one.promptTokens).toBeGreaterThan(0);
  expect(three).toEqual({ promptTokens: 3 * one.promptTokens + 100 + 200, replyTokens: 300 });
  expect(requests).toMatchObject([one, three]);
});

it('an end that is not stored charges and publishes nothing', async () => {
  const call = vi.fn<() => Promise<void>>();
  const usage = { settle: call, release: call };
  const worker = workerWith({
    replies: { finish: async () => false, markSettled: call },
    others: { usage },
    replyLog: { end: call },
  });
  expect(await endReply(worker, REPLY, { end: END, from: 'streaming' })).toBe(false);
  expect(call).not.toHaveBeenCalled();
});

const MESSAGE = { id: REPLY.parentId, role: 'user', content: 'Hi' } as MessageRecord;

/** Takes `reply` over and returns the calls in order. Without quota, a restarted reply fails. */
async function callsOfTakeover(reply: GeneratedReply) {
  const calls: string[] = [];
  const ends: ReplyEnd[] = [];
  const note = (call: string) => async () => {
    calls.push(call);
  };
  const usage = {
    settle: note('settle'),
    release: note('release'),
    reserve: async () => {
      calls.push('reserve');
      throw new AppError('quota_exceeded', 'There is no quota.');
    },
  };
  const worker = workerWith({
    running: new Map(),
    contributors: [],
    others: { usage },
    replyLog: {
      fence: note('fence'),
      end: note('publish'),
      append: async () => calls.push('append') > 0,
      read: async () => {
        calls.push('read');
        return [];
      },
    },
    replies: {
      finish: async ({ end }: { end: ReplyEnd }) => {
        calls.push('finish');
        ends.push(end);
        return true;
      },
      markSettled: async () => undefined,
    },
  });
  await takeOver(worker, { reply, path: [MESSAGE], completion: Promise.resolve() });
  return { calls, ends };
}

it('a takeover fences the lost attempt off before it reads the published text', async () => {
  const { calls } = await callsOfTakeover(REPLY);
  expect(calls.slice(0, 4)).toEqual(['fence', 'read', 'settle', 'reserve']);
});

it('a takeover charges no prompt without proof that it was sent', async () => {
  const { sent: _unknown, ...reply } = REPLY;
  const { calls } = await callsOfTakeover(reply);
  expect(calls.slice(0, 4)).toEqual(['fence', 'read', 'release', 'reserve']);
  const { ends } = await callsOfTakeover({ ...reply, stopRequested: true });
  const charge = { attempt: 1, promptTokens: 0, completionTokens: 0, release: true };
  expect(ends).toMatchObject([{ status: 'stopped', charge }]);
});

it('a reply with a requested stop is not restarted when its worker is lost', async () => {
  const { calls, ends } = await callsOfTakeover({ ...REPLY, stopRequested: true });
  expect(calls).toEqual(['fence', 'read', 'finish', 'settle', 'publish']);
  expect(ends).toMatchObject([{ status: 'stopped', charge: { attempt: 1, promptTokens: 5 } }]);
});

it.each([
  ['stopped', { status: 'stopped', charge: { promptTokens: 0, completionTokens: 0 } }],
  ['draining', { released: { parts: [], charge: { promptTokens: 0, release: true } } }],
  ['fenced', 'fenced'],
] as const)(
  'an attempt that is %s before its prompt is sent uses nothing',
  async (why, expected) => {
    const controller = new AbortController();
    controller.abort(new AttemptAbortedError(why));
    const stream = vi.fn<ChatProvider['stream']>();
    const worker = workerWith({
      replyLog: { append: async () => true, ping: async () => undefined },
      provider: { model: 'test', stream },
    });
    const outcome = await streamAttempt(worker, REPLY, {
      calls: [{}],
      prepare: async () => PREPARED,
      maxTokens: 9,
      isShortened: false,
      paceMs: () => 1,
      controller,
    });
    expect(stream).not.toHaveBeenCalled();
    expect({ outcome }).toMatchObject({ outcome: expected });
  },
);
