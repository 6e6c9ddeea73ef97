import { beforeAll, describe, expect, it, vi } from 'vitest';
import { actorOf, newId } from '../../../../test/chat.ts';
import { LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { expectRejections } from '../../../../test/rejections.ts';
import type { ReplyState } from '../../../contract/replies.ts';
import { countTokens } from '../../../llm/index.ts';
import { continueReply, readTail, stopReply } from './control.ts';
import { settleLate } from './finish.ts';
import { ENDED_LOG_SECONDS, logKey } from './log.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
/** Longer than any test: a reply with this text ends only when it is stopped. */
const TEXT = 'Owls see in the dark 🦉 and hoot. '.repeat(3_000);

beforeAll(async () => {
  rig = await startGeneration();
  rig.provider
    .onMessage('endless', { content: TEXT }, { streamingProfile: { tps: 25 } })
    .onMessage('silent', { content: TEXT }, { streamingProfile: { ttft: 60_000 } })
    .onMessage('fails', { error: { message: 'Slow down' }, status: 401 })
    .onMessage(/.*/, { content: 'Owls hoot.' });
});

const STREAMING = { status: 'streaming', attempt: 1, heartbeatAt: LONG_AGO };
const calls = () => rig.provider.getRequests().length;
const jobOf = ({ id, conversationId }: { id: string; conversationId: string }) => ({
  replyId: id,
  conversationId,
});
describe('stopping', () => {
  it('charges the prompt when it was sent and no token has arrived', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    await stopReply(rig, actorOf(reply.ownerId), reply.id);
    await runner.stop(reply.id);
    await running;
    expect((await rig.stored(reply.id)).status).toBe('stopped');
    const [settled] = rig.recorded.of(reply.id);
    expect(settled).toMatchObject({ call: 'settle', attempt: 1, completionTokens: 0 });
    expect(settled?.promptTokens).toBeGreaterThan(10);
  });

  it('a queued reply charges nothing', async () => {
    const reply = await rig.insert();
    const state = await stopReply(rig, actorOf(reply.ownerId), reply.id);
    expect(state).toMatchObject({ status: 'stopped', attempt: 1 });
    expect(rig.recorded.of(reply.id)).toEqual([{ call: 'release', replyId: reply.id, attempt: 1 }]);
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before);
  });

  it('before the provider is called charges nothing', async () => {
    const reply = await rig.insert({ stopRequested: true });
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before);
    expect((await rig.stored(reply.id)).status).toBe('stopped');
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'release', attempt: 1 }]);
  });

  it('the reply of another user is not found', async () => {
    const reply = await rig.insert();
    const stranger = actorOf(newId());
    const calls = [
      stopReply(rig, stranger, reply.id),
      continueReply(rig, stranger, reply.id),
      readTail(rig, stranger, { id: reply.id, attempt: 0, offset: 0 }),
    ];
    await expectRejections(calls, { code: 'not_found' });
  });
});

describe('continuing', () => {
  const STOPPED = { status: 'stopped', active: undefined, attempt: 1, content: 'Now: ' };

  it('charges each attempt for its own text, even when the first one is settled late', async () => {
    const reply = await rig.insert({}, 'endless');
    const runner = rig.runner();
    const running = runner.run(jobOf(reply));
    await expect.poll(async () => (await rig.replyLog.read(reply, 1, 0)).length).toBeGreaterThan(3);
    rig.recorded.switches.failure = new Error('The ledger is unreachable.');
    await runner.stop(reply.id);
    await running;
    rig.recorded.switches.failure = undefined;
    const { content: kept } = await rig.stored(reply.id);
    expect(rig.recorded.of(reply.id)).toEqual([]);

    await rig.model.updateOne({ _id: reply.parentId }, { content: 'Hello' });
    const continued = await continueReply(rig, actorOf(reply.ownerId), reply.id);
    expect(continued.reply).toMatchObject({ status: 'queued', content: kept });
    await rig.runner().run(jobOf(reply));
    expect((await rig.stored(reply.id)).content).toBe(`${kept}Owls hoot.`);
    await Promise.all([settleLate(rig, new Date()), settleLate(rig, new Date())]);
    expect((await rig.stored(reply.id)).charges).toEqual([]);
    const settled = rig.recorded.of(reply.id).filter(({ call }) => call === 'settle');
    expect(new Set(settled.map(({ attempt }) => attempt))).toEqual(new Set([1, 2]));
    expect(settled).toHaveLength(2);
    const first = settled.find(({ attempt }) => attempt === 1);
    expect(first?.completionTokens).toBe(await countTokens(kept));
  });

  it('continues after the length limit, and the end of the rest does not mention it', async () => {
    const written = [{ id: newId(), version: 1, op: 'add' as const, state: 'active' as const }];
    const memoryReceipt = { mode: 'on' as const, read: [], written, refused: [] };
    const metadata = { memoryReceipt };
    const full = { ...STOPPED, status: 'complete', ending: 'length', metadata };
    const reply = await rig.insert({ ...full, postSteps: [{ name: 'memory', tries: 0 }] });
    const { id, ownerId } = reply;
    expect((await readTail(rig, actorOf(ownerId), { id, attempt: 1, offset: 0 })).ending).toBe(
      'length',
    );
    const continued = await continueReply(rig, actorOf(ownerId), id);
    expect(continued.reply).toMatchObject({ status: 'queued', content: 'Now: ' });
    expect(continued.reply).not.toHaveProperty('ending');
    // The steps of the partial text are dropped; those of the whole text follow.
    expect((await rig.stored(id)).postSteps).toBeUndefined();
    const contribute = async () => ({
      text: 'Remember owls.',
      metadata: { memoryReceipt: { ...memoryReceipt, written: [] } },
    });
    await rig.runner({ contributors: [{ name: 'memory', contribute }] }).run(jobOf(reply));
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({ status: 'complete', content: 'Now: Owls hoot.', metadata });
    expect(stored).not.toHaveProperty('ending');
  });

  it('is not shown as ended by a worker that was frozen after it stored the end', async () => {
    const reply = await rig.insert(STOPPED);
    const { id: replyId, conversationId, ownerId } = reply;
    const events = await rig.listen(ownerId);
    await continueReply(rig, actorOf(ownerId), replyId);
    const state = { replyId, conversationId, attempt: 1, status: 'stopped' as const, length: 5 };
    await rig.replyLog.end(ownerId, state);
    expect(await rig.redis.ttl(logKey(reply))).toBeGreaterThan(ENDED_LOG_SECONDS);
    await rig.replyLog.end(ownerId, { ...state, attempt: 2 });
    expect(await rig.redis.ttl(logKey(reply))).toBeLessThanOrEqual(ENDED_LOG_SECONDS);
    const states = () => events.map(({ payload }) => payload as ReplyState);
    await expect.poll(() => states().at(-1)).toMatchObject({ status: 'stopped', attempt: 2 });
    const before = new Set(states().map(({ status, attempt }) => `${status} ${attempt}`));
    expect(before).toEqual(new Set(['queued 1', 'stopped 2']));
  });

  it('is not stopped by the event of an earlier stop that arrives late', async () => {
    const reply = await rig.insert(STOPPED);
    await continueReply(rig, actorOf(reply.ownerId), reply.id);
    const runner: ReturnType<typeof rig.runner> = rig.runner({
      contributors: [
        {
          name: 'memory',
          contribute: async () => {
            await runner.hearStop(reply.id);
            return undefined;
          },
        },
      ],
    });
    await runner.run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Now: Owls hoot.',
    });
  });

  it('requested twice at once queues once, and the winner keeps its reservation', async () => {
    const reply = await rig.insert(STOPPED);
    const ask = () => continueReply(rig, actorOf(reply.ownerId), reply.id);
    const results = await Promise.allSettled([ask(), ask()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(rig.recorded.of(reply.id).some(({ call }) => call === 'release')).toBe(false);
  });

  it('is refused while another reply of the conversation runs, and releases its reservation', async () => {
    const reply = await rig.insert(STOPPED);
    await rig.insert({ conversationId: reply.conversationId, ownerId: reply.ownerId });
    const refused = continueReply(rig, actorOf(reply.ownerId), reply.id);
    await expect(refused).rejects.toMatchObject({ code: 'reply_in_progress' });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'reserve', attempt: 2 },
      { call: 'release', attempt: 2 },
    ]);
  });

  it.each([
    ['complete', { ...STOPPED, status: 'complete' }],
    ['without text', { ...STOPPED, content: '' }],
    ['active', { ...STREAMING, content: 'Now: ' }],
  ])('is refused for a reply that is %s', async (_, fields) => {
    const reply = await rig.insert(fields);
    const refused = continueReply(rig, actorOf(reply.ownerId), reply.id);
    await expect(refused).rejects.toMatchObject({ code: 'reply_not_retryable' });
    expect(rig.recorded.of(reply.id)).toEqual([]);
  });

  it.each([
    ['has ended again', { status: 'stopped', attempt: 2 }],
    ['has come to a later attempt', { status: 'queued', active: true, attempt: 3 }],
  ])('that loses to a request whose reply %s releases its reservation', async (_, fields) => {
    const reply = await rig.insert(STOPPED);
    vi.spyOn(rig.replies, 'requeueToContinue').mockImplementationOnce(async () => {
      await rig.model.updateOne({ _id: reply.id }, { $set: fields });
      return null;
    });
    const refused = continueReply(rig, actorOf(reply.ownerId), reply.id);
    await expect(refused).rejects.toMatchObject({ code: 'reply_not_retryable' });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'reserve', attempt: 2 },
      { call: 'release', attempt: 2 },
    ]);
  });

  it('is refused for a reply that a message follows', async () => {
    const reply = await rig.insert(STOPPED);
    const { conversationId, ownerId } = reply;
    const next = { conversationId, ownerId, parentId: reply.id, depth: 2, createdAt: new Date() };
    await rig.model.create({ ...next, role: 'user', content: 'And then?' });
    const refused = continueReply(rig, actorOf(ownerId), reply.id);
    await expect(refused).rejects.toMatchObject({ code: 'reply_not_retryable' });
  });
});

describe('reading a reply', () => {
  it('returns the tail over all parts, also while it streams', async () => {
    const parts = [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Owls ' },
    ];
    const reply = await rig.insert({ ...STREAMING, content: 'Owls ', parts });
    const { id: replyId, conversationId, ownerId } = reply;
    const writer = { replyId, conversationId, ownerId, attempt: 1 };
    await rig.replyLog.fence(writer);
    await rig.replyLog.append(writer, {
      seq: 1,
      deltas: [{ part: 1, type: 'text', offset: 7, delta: 'hoot' }],
    });
    const read = (offset: number, attempt = 1) =>
      readTail(rig, actorOf(ownerId), { id: replyId, attempt, offset });
    expect(await read(0)).toMatchObject({
      length: 11,
      offset: 0,
      status: 'streaming',
      deltas: [
        { part: 0, type: 'reasoning', offset: 0, delta: 'Hm' },
        { part: 1, type: 'text', offset: 2, delta: 'Owls hoot' },
      ],
    });
    expect(await read(5)).toMatchObject({ offset: 5, deltas: [{ offset: 5, delta: 's hoot' }] });
    expect(await read(11)).toMatchObject({ offset: 11, deltas: [] });
    expect(await read(5, 4)).toMatchObject({ offset: 0, attempt: 1 });
  });
});
