import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../errors.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import { countTokens } from '../../../llm/index.ts';
import { actorOf, LONG_AGO, newId, startGeneration } from './generation.fixture.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
const TEXT = 'Owls see in the dark 🦉 and hoot. '.repeat(30);

beforeAll(async () => {
  rig = await startGeneration();
  rig.provider
    .onMessage('slow', { content: TEXT }, { streamingProfile: { tps: 25 } })
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
const lastRequest = () => rig.provider.getRequests().at(-1)?.body as { max_tokens?: number };

/** Logs text as an attempt whose worker was lost had published it. */
const publish = (
  { id, conversationId, ownerId }: { id: string; conversationId: string; ownerId: string },
  attempt: number,
  delta: string,
  offset = 0,
) =>
  rig.replyLog.append(
    { replyId: id, conversationId, ownerId, attempt },
    { seq: 1 + offset, deltas: [{ part: 0, type: 'text', offset, delta }] },
  );

describe('a job', () => {
  it('generates its reply within what was reserved, and charges the attempt once', async () => {
    const reply = await rig.insert();
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Owls hoot.',
      attempt: 1,
      pathLength: 'Hello'.length + 'Owls hoot.'.length,
      charges: [],
    });
    expect(lastRequest().max_tokens).toBe(400);
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
    // Delivered once more, it finds nothing to do.
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before);
  });

  it('publishes that the reply streams before its text, and its end after it is stored', async () => {
    const reply = await rig.insert();
    const events = await rig.listen(reply.ownerId);
    await rig.runner().run(jobOf(reply));
    await expect
      .poll(() => events.at(-1))
      .toMatchObject({ event: 'reply:state', payload: { status: 'complete', length: 10 } });
    expect(events[0]).toMatchObject({ payload: { status: 'streaming', length: 0, attempt: 1 } });
    expect(events[1]).toMatchObject({
      event: 'reply:delta',
      payload: { part: 0, type: 'text', offset: 0, attempt: 1 },
    });
    expect(await rig.redis.ttl(`reply:${reply.id}`)).toBeLessThanOrEqual(60);
  });

  it('stores a user message that a crash has kept from being stored, before the prompt is built', async () => {
    const reply = await rig.insert();
    const message = await rig.stored(reply.parentId);
    await rig.model.deleteOne({ _id: reply.parentId });
    const completeSend = async () => {
      if (await rig.model.exists({ _id: reply.parentId })) return false;
      await rig.model.create({ ...message, content: 'From the outbox' });
      return true;
    };
    await rig.runner({ completeSend }).run(jobOf(reply));
    expect(JSON.stringify(lastRequest())).toContain('From the outbox');
  });

  it('charges nothing when the provider refuses before the first token', async () => {
    const reply = await rig.insert({}, 'fails');
    await rig.runner().run(jobOf(reply));
    expect((await rig.stored(reply.id)).status).toBe('failed');
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', promptTokens: 0, completionTokens: 0 },
    ]);
  });
});

describe('a job that is delivered again while its reply streams', () => {
  it('is put back while the heartbeat is fresh, and the reply goes on', async () => {
    const reply = await rig.insert({}, 'slow');
    const runner = rig.runner();
    const running = runner.run(jobOf(reply));
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    for (const worker of [runner, rig.runner()])
      await expect(worker.run(jobOf(reply))).rejects.toBeInstanceOf(RunLaterError);
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: TEXT,
      attempt: 1,
    });
  });

  it('keeps a fresh heartbeat while no text comes', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const running = runner.run(jobOf(reply));
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    const first = (await rig.stored(reply.id)).heartbeatAt?.getTime() ?? 0;
    await expect
      .poll(async () => (await rig.stored(reply.id)).heartbeatAt?.getTime())
      .toBeGreaterThan(first);
    runner.stop(reply.id);
    await running;
  });
});

describe('a reply whose worker was lost', () => {
  it('starts again when nothing was published: the lost attempt is settled, the next one reserved', async () => {
    const reply = await rig.insert(STREAMING);
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', attempt: 2 });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', attempt: 1, promptTokens: 7, completionTokens: 0 },
      { call: 'reserve', attempt: 2 },
      { call: 'settle', attempt: 2 },
    ]);
  });

  it('is interrupted with the text that was published, and only that is charged', async () => {
    const reply = await rig.insert({ ...STREAMING, content: 'Owls ' });
    await publish(reply, 1, 'Owls hoot');
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before);
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'interrupted',
      content: 'Owls hoot',
      attempt: 2,
    });
    expect(rig.recorded.of(reply.id)).toEqual([
      {
        call: 'settle',
        replyId: reply.id,
        attempt: 1,
        promptTokens: 7,
        completionTokens: await countTokens('Owls hoot'),
      },
    ]);
    // The lost worker wakes up: its deltas are refused.
    await expect(publish(reply, 1, '!', 9)).rejects.toMatchObject({ name: 'FencedError' });
  });

  it('does not get text back that an earlier attempt had published', async () => {
    const reply = await rig.insert({ ...STREAMING, attempt: 2, content: '' });
    await publish(reply, 1, 'Discarded');
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', content: 'Owls hoot.' });
  });

  it('keeps its text when the worker that took it over is lost as well', async () => {
    const reply = await rig.insert({ ...STREAMING, attempt: 2, lostAttempts: 1, takeovers: 1 });
    await publish(reply, 1, 'Owls hoot');
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'interrupted',
      content: 'Owls hoot',
      attempt: 3,
    });
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
  });

  it('charges only what the lost attempt added to the text that it continued', async () => {
    const reply = await rig.insert({ ...STREAMING, attempt: 2, content: 'Owls ', keptLength: 5 });
    await publish(reply, 2, 'Owls ');
    await publish(reply, 2, 'hoot', 5);
    await rig.runner().run(jobOf(reply));
    expect((await rig.stored(reply.id)).content).toBe('Owls hoot');
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', attempt: 2, completionTokens: await countTokens('hoot') },
    ]);
  });

  it('continues the kept text again when the lost attempt had added nothing', async () => {
    const reply = await rig.insert({ ...STREAMING, attempt: 2, content: 'Now: ', keptLength: 5 });
    await publish(reply, 2, 'Now: ');
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Now: Owls hoot.',
    });
  });

  it('is given up when it has lost its worker too often', async () => {
    const reply = await rig.insert({ ...STREAMING, takeovers: 1 });
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'failed',
      error: { code: 'worker_crashed' },
    });
  });

  it('fails with the reason when there is no quota for another attempt', async () => {
    const reply = await rig.insert(STREAMING);
    const usage = {
      ...rig.usage,
      reserve: async () => Promise.reject(new AppError('quota_exceeded', 'Your demo is used up.')),
    };
    await rig.runner({ usage }).run(jobOf(reply));
    const stored = await rig.stored(reply.id);
    expect(stored.status).toBe('failed');
    expect(stored.error?.message).toContain('Your demo is used up.');
  });
});

describe('stopping', () => {
  it('charges the prompt when it was sent and no token has come', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    await rig.service.stop(reply.id, actorOf(reply.ownerId));
    runner.stop(reply.id);
    await running;
    expect((await rig.stored(reply.id)).status).toBe('stopped');
    const [settled] = rig.recorded.of(reply.id);
    expect(settled).toMatchObject({ call: 'settle', attempt: 1, completionTokens: 0 });
    expect(settled?.promptTokens).toBeGreaterThan(10);
  });

  it('a queued reply charges nothing', async () => {
    const reply = await rig.insert();
    const state = await rig.service.stop(reply.id, actorOf(reply.ownerId));
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

  it("somebody else's reply is not found", async () => {
    const reply = await rig.insert();
    const stranger = actorOf(newId());
    for (const call of [
      rig.service.stop(reply.id, stranger),
      rig.service.continue(reply.id, stranger),
      rig.service.tail(reply.id, stranger, { attempt: 0, offset: 0 }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a worker that is drained', () => {
  it('gives a reply that has published nothing back, without a charge, and the next attempt reserves', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    runner.handOver();
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'queued', jobId: `${reply.id}.2` });
    expect(await rig.producer.canRun(`${reply.id}.2`)).toBe(true);
    await rig.model.updateOne({ _id: reply.parentId }, { content: 'Hello' });
    await rig.runner().run(jobOf(reply));
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'release', attempt: 1 },
      { call: 'reserve', attempt: 2 },
      { call: 'settle', attempt: 2 },
    ]);
  });
});

describe('continuing', () => {
  const STOPPED = { status: 'stopped', active: undefined, attempt: 1, content: 'Now: ' };

  it('charges each attempt for its own text, also when the first one is settled late', async () => {
    const reply = await rig.insert({}, 'slow');
    const runner = rig.runner();
    const running = runner.run(jobOf(reply));
    await expect
      .poll(async () => (await rig.replyLog.read(reply.id, 1, 0)).length)
      .toBeGreaterThan(3);
    rig.recorded.switches.failure = new Error('The ledger is unreachable.');
    runner.stop(reply.id);
    await running;
    rig.recorded.switches.failure = undefined;
    const { content: kept } = await rig.stored(reply.id);
    expect(rig.recorded.of(reply.id)).toEqual([]);

    await rig.model.updateOne({ _id: reply.parentId }, { content: 'Hello' });
    const continued = await rig.service.continue(reply.id, actorOf(reply.ownerId));
    expect(continued.reply).toMatchObject({ status: 'queued', content: kept });
    await rig.runner().run(jobOf(reply));
    expect((await rig.stored(reply.id)).content).toBe(`${kept}Owls hoot.`);
    await Promise.all([rig.finisher.settleLate(new Date()), rig.finisher.settleLate(new Date())]);
    expect((await rig.stored(reply.id)).charges).toEqual([]);
    const settled = rig.recorded.of(reply.id).filter(({ call }) => call === 'settle');
    expect(settled.map(({ attempt }) => attempt).toSorted()).toEqual([1, 2]);
    const first = settled.find(({ attempt }) => attempt === 1);
    expect(first?.completionTokens).toBe(await countTokens(kept));
  });

  it('asked twice at once queues once, and the winner keeps its reservation', async () => {
    const reply = await rig.insert(STOPPED);
    const ask = () => rig.service.continue(reply.id, actorOf(reply.ownerId));
    const results = await Promise.allSettled([ask(), ask()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(rig.recorded.of(reply.id).some(({ call }) => call === 'release')).toBe(false);
  });

  it('is refused while another reply of the conversation runs, and releases its reservation', async () => {
    const reply = await rig.insert(STOPPED);
    await rig.insert({ conversationId: reply.conversationId, ownerId: reply.ownerId });
    const refused = rig.service.continue(reply.id, actorOf(reply.ownerId));
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
    const refused = rig.service.continue(reply.id, actorOf(reply.ownerId));
    await expect(refused).rejects.toMatchObject({ code: 'reply_not_retryable' });
    expect(rig.recorded.of(reply.id)).toEqual([]);
  });

  it('is refused for a reply that a message follows', async () => {
    const reply = await rig.insert(STOPPED);
    const { conversationId, ownerId } = reply;
    const next = { conversationId, ownerId, parentId: reply.id, depth: 2, createdAt: new Date() };
    await rig.model.create({ ...next, role: 'user', content: 'And then?' });
    const refused = rig.service.continue(reply.id, actorOf(ownerId));
    await expect(refused).rejects.toMatchObject({ code: 'reply_not_retryable' });
  });
});

describe('reading a reply', () => {
  it('gives what a reader lacks over all parts, also while it streams', async () => {
    const parts = [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Owls ' },
    ];
    const reply = await rig.insert({ ...STREAMING, content: 'Owls ', parts });
    const { id: replyId, conversationId, ownerId } = reply;
    await rig.replyLog.append(
      { replyId, conversationId, ownerId, attempt: 1 },
      { seq: 1, deltas: [{ part: 1, type: 'text', offset: 7, delta: 'hoot' }] },
    );
    const read = (offset: number, attempt = 1) =>
      rig.service.tail(replyId, actorOf(ownerId), { attempt, offset });
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

describe('sweepers', () => {
  const STALE = { heartbeatAt: LONG_AGO };

  it('enqueue each reply without a runnable job once, however many sweep', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => rig.insert(STALE)));
    const added: string[] = [];
    const producer = {
      ...rig.producer,
      add: async (...args: Parameters<typeof rig.producer.add>) => {
        added.push(args[0]);
        await rig.producer.add(...args);
      },
    };
    await Promise.all([rig.sweep({ producer })(), rig.sweep({ producer })()]);
    for (const { id } of replies) expect(added.filter((job) => job === `${id}.1`)).toHaveLength(1);
    for (const { id } of replies) expect(await rig.producer.canRun(`${id}.1`)).toBe(true);
    expect((await rig.stored(replies[0]?.id ?? '')).heartbeatAt).toEqual(LONG_AGO);
  });

  it('replace a job that exists but can never run', async () => {
    const reply = await rig.insert(STALE);
    const jobId = `${reply.id}.1`;
    await rig.producer.add(jobId, jobOf(reply));
    await rig.redis.lrem('{replies}:replies:wait', 0, jobId);
    expect(await rig.producer.canRun(jobId)).toBe(false);
    await rig.sweep()();
    expect(await rig.producer.canRun(jobId)).toBe(true);
  });

  it('complete the send of a reply that they find', async () => {
    const reply = await rig.insert(STALE);
    const completed: string[] = [];
    const completeSend = async ({ id }: { id: string }) => {
      completed.push(id);
      return false;
    };
    await rig.sweep({ completeSend })();
    expect(completed).toContain(reply.id);
  });

  it('are not stopped by one reply that fails, and settle in any case', async () => {
    const [bad, good] = [await rig.insert(STALE), await rig.insert(STALE)];
    const charges = [{ attempt: 1, promptTokens: 3, completionTokens: 4, at: LONG_AGO }];
    const owed = await rig.insert({ status: 'complete', active: undefined, charges });
    const canRun = async (jobId: string) => {
      if (jobId.startsWith(bad.id)) throw new Error('Redis is unreachable.');
      return rig.producer.canRun(jobId);
    };
    await rig.sweep({ producer: { ...rig.producer, canRun } })();
    expect(await rig.producer.canRun(`${good.id}.1`)).toBe(true);
    expect(rig.recorded.of(owed.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
    const replies = { ...rig.replies, findStale: async () => Promise.reject(new Error('down')) };
    const late = await rig.insert({ status: 'complete', active: undefined, charges });
    await expect(rig.sweep({ replies })()).rejects.toThrow('down');
    expect(rig.recorded.of(late.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
  });

  it('settle two charges of which the first fails', async () => {
    const charge = { promptTokens: 3, completionTokens: 4, at: LONG_AGO };
    const ended = { status: 'complete', active: undefined };
    const first = await rig.insert({ ...ended, charges: [{ attempt: 1, ...charge }] });
    const second = await rig.insert({ ...ended, charges: [{ attempt: 1, ...charge }] });
    rig.recorded.switches.failure = new Error('down');
    await rig.finisher.settleLate(new Date());
    rig.recorded.switches.failure = undefined;
    expect((await rig.stored(first.id)).charges).toHaveLength(1);
    await rig.finisher.settleLate(new Date());
    for (const { id } of [first, second]) expect((await rig.stored(id)).charges).toEqual([]);
  });
});
