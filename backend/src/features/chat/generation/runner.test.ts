import { beforeAll, describe, expect, it } from 'vitest';
import { LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { AppError } from '../../../errors.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import {
  type ChatProvider,
  countTokens,
  createOpenAiProvider,
  ProviderError,
} from '../../../llm/index.ts';
import { deltasFrom } from '../messages/index.ts';
import { settleLate } from './finish.ts';
import { FencedError, logKey } from './log.ts';
import { paceOf } from './runner.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
const TEXT = 'Owls see in the dark 🦉 and hoot. '.repeat(30);

beforeAll(async () => {
  rig = await startGeneration();
  rig.provider
    .onMessage('silent', { content: TEXT }, { streamingProfile: { ttft: 60_000 } })
    .onMessage('fails', { error: { message: 'Slow down' }, status: 401 })
    .onMessage('busy', { error: { message: 'Slow down' }, status: 429 })
    .onMessage(/.*/, { content: 'Owls hoot.' });
});

const STREAMING = { status: 'streaming', attempt: 1, heartbeatAt: LONG_AGO };
const FIGURES = {
  promptTokens: 9,
  cachedTokens: 4,
  completionTokens: 3,
  reasoningTokens: 2,
  model: 'answered',
};
const calls = () => rig.provider.getRequests().length;
const jobOf = ({ id, conversationId }: { id: string; conversationId: string }) => ({
  replyId: id,
  conversationId,
});
const lastRequest = () => rig.provider.getRequests().at(-1)?.body as { max_tokens?: number };

/** Logs text that an attempt published before its worker was lost. */
const publish = async (
  { id, conversationId, ownerId }: { id: string; conversationId: string; ownerId: string },
  attempt: number,
  delta: string,
  offset = 0,
) => {
  const writer = { replyId: id, conversationId, ownerId, attempt };
  if (offset === 0) await rig.replyLog.fence(writer);
  const deltas = [{ part: 0, type: 'text' as const, offset, delta }];
  await rig.replyLog.append(writer, { seq: 1 + offset, deltas });
};

it('publishes deltas of a reply less often the more replies the process writes', () => {
  expect([1, 49, 50, 150, 151, 1_000].map(paceOf)).toEqual([0, 0, 40, 40, 100, 100]);
});

describe('a job', () => {
  it('generates its reply within its reservation, and charges the attempt once', async () => {
    const reply = await rig.insert();
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Owls hoot.',
      attempt: 1,
      pathLength: 'Hello'.length + 'Owls hoot.'.length,
      charges: [],
      // The search is to index the text of this attempt.
      unindexed: 1,
    });
    expect(lastRequest().max_tokens).toBe(500);
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
    // A second delivery has no effect.
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before);
  });

  it.each([
    ['what its prompt does not take', 400, expect.closeTo(320, -2)],
    ['the shortest reply, when the prompt takes all', 20, 256],
    ['no more than its depth allows', 2_000, 500],
  ])('for which little was left gets %s', async (_what, left, tokens) => {
    const reserved = { promptTokens: left - 300, replyTokens: 300 };
    const reply = await rig.insert({ reserved });
    await rig.runner().run(jobOf(reply));
    expect(lastRequest().max_tokens).toEqual(tokens);
  });

  it.each([
    [
      'the tokens that were left',
      300,
      { status: 'interrupted', error: { code: 'quota_exceeded' } },
    ],
    ['its depth', 500, { status: 'complete', ending: 'length' }],
  ])('whose text ends at the length of %s ends so', async (_what, replyTokens, expected) => {
    const reply = await rig.insert({ reserved: { promptTokens: 7, replyTokens } });
    const charge = { promptTokens: 170, completionTokens: replyTokens };
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        yield { type: 'delta', part: 'text', text: 'Owls hoo' };
        yield { type: 'cut' };
        yield { type: 'usage', ...charge, cachedTokens: 0, reasoningTokens: 0, model: 'test' };
      },
    };
    const events = await rig.listen(reply.ownerId);
    await rig.runner({ provider }).run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ content: 'Owls hoo', ...expected });
    await expect.poll(() => events.at(-1)?.payload).toMatchObject(expected);
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', ...charge }]);
  });

  it.each<[string, number, object, { content?: string; keptLength?: number; reserved?: object }]>([
    ['64 characters for each token', 500 * 64, { ending: 'length' }, {}],
    [
      '64 characters for each token that was left',
      256 * 64,
      { status: 'interrupted', error: { code: 'quota_exceeded' } },
      { reserved: { promptTokens: 7, replyTokens: 256 } },
    ],
    [
      '2 million characters, with the text that it continues',
      1_000,
      { ending: 'length' },
      { content: 'x'.repeat(1_999_000), keptLength: 1_999_000 },
    ],
  ])('whose model ignores its maximum length ends at %s', async (_at, most, end, fields) => {
    const reply = await rig.insert(fields);
    const delta = 'x'.repeat(8);
    let sent = 0;
    let isEnded = false;
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        try {
          for (; sent < 100_000; sent += delta.length)
            yield { type: 'delta', part: 'text', text: delta };
        } finally {
          isEnded = true;
        }
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    const { status, ending, error, content } = await rig.stored(reply.id);
    expect({ status, ending, error }).toMatchObject(end);
    expect({ isEnded, sent }).toEqual({ isEnded: true, sent: most });
    expect(content?.length).toBe((fields.content?.length ?? 0) + most + delta.length);
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', completionTokens: await countTokens('x'.repeat(most + delta.length)) },
    ]);
  });

  it('whose model sends all at once leaves turns to other work, and ends at its length', async () => {
    const reply = await rig.insert();
    let turns = 0;
    const work = () => {
      turns += 1;
      if (turns < 1_000) setImmediate(work);
    };
    let turnsOfText = 0;
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        setImmediate(work);
        try {
          yield { type: 'delta', part: 'text', text: 'x'.repeat(100_000) };
        } finally {
          turnsOfText = turns;
        }
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    const { ending, content } = await rig.stored(reply.id);
    expect({ ending, length: content?.length }).toEqual({ ending: 'length', length: 63 * 512 });
    expect(turnsOfText).toBeGreaterThan(50);
  });

  it('whose model changes between text and reasoning without end, ends at 1,000 parts', async () => {
    const reply = await rig.insert();
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        for (let sent = 0; sent < 10_000; sent += 1)
          yield { type: 'delta', part: sent % 2 ? 'text' : 'reasoning', text: 'x' };
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    const { status, ending, parts } = await rig.stored(reply.id);
    expect({ status, ending }).toEqual({ status: 'complete', ending: 'length' });
    expect(parts).toHaveLength(1_001);
  });

  it('publishes that the reply streams before its text, and its end after it is stored', async () => {
    const reply = await rig.insert();
    const events = await rig.listen(reply.ownerId, reply.conversationId);
    await rig.runner().run(jobOf(reply));
    await expect
      .poll(() => events.at(-1))
      .toMatchObject({ event: 'reply:state', payload: { status: 'complete', length: 10 } });
    expect(events[0]).toMatchObject({ payload: { status: 'streaming', length: 0, attempt: 1 } });
    expect(events[1]).toMatchObject({
      event: 'reply:delta',
      payload: { part: 0, type: 'text', offset: 0, attempt: 1 },
    });
    expect(await rig.redis.ttl(logKey(reply))).toBeLessThanOrEqual(60);
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

  it('charges its own text and the prompt when the provider fails in the middle', async () => {
    const kept = { content: 'Owls see', keptLength: 'Owls see'.length };
    const reply = await rig.insert(kept);
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        yield { type: 'delta', part: 'text', text: ' in the dark' };
        throw new ProviderError('provider_unavailable', 'Gone');
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    const [settled] = rig.recorded.of(reply.id);
    expect(settled?.completionTokens).toBe(await countTokens(' in the dark'));
    expect(settled?.promptTokens).toBeGreaterThan(0);
  });

  it.each([
    ['reports it', [{ type: 'usage', ...FIGURES }], FIGURES],
    ['reports nothing', [], { model: 'asked', promptTokens: expect.any(Number) as number }],
  ] as const)("charges the provider's usage when it %s", async (_, usage, expected) => {
    const reply = await rig.insert();
    const provider: ChatProvider = {
      model: 'asked',
      async *stream() {
        yield { type: 'delta', part: 'text', text: 'Owls hoot.' };
        yield* usage;
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    expect(rig.recorded.of(reply.id)).toEqual([
      expect.objectContaining({ call: 'settle', attempt: 1, ...expected }),
    ]);
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

it('a reply that is stopped before the provider is called again is charged nothing', async () => {
  const reply = await rig.insert({}, 'busy');
  const before = calls();
  const runner: ReturnType<typeof rig.runner> = rig.runner({
    provider: createOpenAiProvider({
      baseUrl: `http://127.0.0.1:${rig.provider.port}/v1`,
      apiKey: 'test',
      model: 'test',
      idleMs: 20_000,
      sleep: async () => runner.stop(reply.id),
    }),
  });
  await runner.run(jobOf(reply));
  expect(calls()).toBe(before + 1);
  expect((await rig.stored(reply.id)).status).toBe('stopped');
  expect(rig.recorded.of(reply.id)).toMatchObject([
    { call: 'settle', attempt: 1, promptTokens: 0, completionTokens: 0 },
  ]);
});

describe('an attempt', () => {
  it('continues when the path could not be read at first', async () => {
    const reply = await rig.insert();
    let reads = 0;
    const pathOfPrompt: typeof rig.messages.pathOfPrompt = async (input) => {
      reads += 1;
      if (reads === 1) throw new Error('The connection was closed.');
      return rig.messages.pathOfPrompt(input);
    };
    await rig.runner({ messages: { ...rig.messages, pathOfPrompt } }).run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', attempt: 1 });
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
  });

  it('stores the sent tokens once the provider has accepted the prompt, and never before', async () => {
    const reply = await rig.insert();
    let accept = () => {};
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const provider: ChatProvider = {
      model: 'test',
      async *stream({ signal }) {
        await accepted;
        yield { type: 'reasoning', requested: 'lowest', applied: 'default', parameter: null };
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    };
    const runner = rig.runner({ provider });
    const running = runner.run(jobOf(reply));
    const heartbeat = async () => (await rig.stored(reply.id)).heartbeatAt?.getTime() ?? 0;
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    const first = await heartbeat();
    await expect.poll(heartbeat).toBeGreaterThan(first);
    expect((await rig.stored(reply.id)).sent).toBeUndefined();
    accept();
    const sent = async () => (await rig.stored(reply.id)).sent?.promptTokens;
    await expect.poll(sent).toBeGreaterThan(0);
    const stored = await sent();
    await runner.stop(reply.id);
    await running;
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', promptTokens: stored }]);
    expect(await sent()).toBeUndefined();
  });

  it('whose reply was removed before its log began leaves no log', async () => {
    const reply = await rig.insert();
    const startAttempt: typeof rig.replies.startAttempt = async (...args) => {
      const started = await rig.replies.startAttempt(...args);
      await rig.model.deleteOne({ _id: reply.id });
      return started;
    };
    const before = calls();
    await rig.runner({ replies: { ...rig.replies, startAttempt } }).run(jobOf(reply));
    expect(calls()).toBe(before + 1);
    expect(await rig.redis.exists(logKey(reply))).toBe(0);
    expect(rig.recorded.of(reply.id)).toEqual([]);
  });

  it('whose message was removed with its conversation does not call the provider', async () => {
    const reply = await rig.insert();
    const completeSend = async () => {
      await rig.model.deleteMany({ conversationId: reply.conversationId });
      return false;
    };
    await rig.model.deleteOne({ _id: reply.parentId });
    const before = calls();
    await rig.runner({ completeSend }).run(jobOf(reply));
    expect(calls()).toBe(before);
    expect(await rig.redis.exists(logKey(reply))).toBe(0);
  });
});

describe('the end of a reply', () => {
  const failing = (times: number) => {
    let failures = 0;
    return async () => {
      failures += 1;
      if (failures <= times) throw new Error('The database is unreachable.');
    };
  };

  it('is stored however long the database was unreachable', async () => {
    const reply = await rig.insert();
    const fail = failing(100);
    const finish: typeof rig.replies.finish = async (...args) => {
      await fail();
      return rig.replies.finish(...args);
    };
    await rig.runner({ replies: { ...rig.replies, finish } }).run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', attempt: 1 });
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
  });

  it('is left to another worker by one that stops while the database is unreachable', async () => {
    const reply = await rig.insert();
    let attempts = 0;
    const finish = async () => {
      attempts += 1;
      if (attempts === 20) runner.releaseAll();
      throw new Error('The database is unreachable.');
    };
    const runner = rig.runner({ replies: { ...rig.replies, finish } });
    await expect(runner.run(jobOf(reply))).rejects.toThrow('unreachable');
    expect(attempts).toBe(20);
  });

  it('waits until its send is completed, because it removes the outbox', async () => {
    const reply = await rig.insert();
    const fail = failing(3);
    const events: string[] = [];
    const completeSend = async () => {
      await fail();
      events.push('completed');
      return false;
    };
    const finish: typeof rig.replies.finish = async (...args) => {
      events.push('ended');
      return rig.replies.finish(...args);
    };
    await rig.runner({ completeSend, replies: { ...rig.replies, finish } }).run(jobOf(reply));
    expect(events).toEqual(['completed', 'ended']);
    expect((await rig.stored(reply.id)).status).toBe('complete');
  });
});

describe('post-steps', () => {
  const run = async (question: string) => {
    const enqueued: string[] = [];
    const enqueue = async ({ id }: { id: string }) => {
      enqueued.push(id);
    };
    const reply = await rig.insert({}, question);
    await rig.runner({ postSteps: { namesFor: () => ['memory'], enqueue } }).run(jobOf(reply));
    return { reply, enqueued, postSteps: (await rig.stored(reply.id)).postSteps };
  };

  it('are stored with a complete reply and enqueued', async () => {
    const { reply, enqueued, postSteps } = await run('Hello');
    expect(postSteps).toMatchObject([{ name: 'memory' }]);
    expect(enqueued).toEqual([reply.id]);
  });

  it('do not follow a reply that failed', async () => {
    const { enqueued, postSteps } = await run('fails');
    expect([enqueued, postSteps]).toEqual([[], undefined]);
  });
});

describe('a job that is delivered again while its reply streams', () => {
  it('is put back while the heartbeat is fresh, and the reply continues', async () => {
    const reply = await rig.insert();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        await ended;
        yield { type: 'delta', part: 'text', text: TEXT };
      },
    };
    const runner = rig.runner({ provider });
    const running = runner.run(jobOf(reply));
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    for (const worker of [runner, rig.runner()])
      await expect(worker.run(jobOf(reply))).rejects.toBeInstanceOf(RunLaterError);
    end();
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: TEXT,
      attempt: 1,
    });
  });

  it('is not taken over by the worker that runs it, however old its heartbeat', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    await rig.model.updateOne({ _id: reply.id }, { heartbeatAt: LONG_AGO });
    await expect(runner.run(jobOf(reply))).rejects.toBeInstanceOf(RunLaterError);
    await runner.stop(reply.id);
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'stopped', attempt: 1 });
  });

  it('keeps a fresh heartbeat while no text arrives', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const running = runner.run(jobOf(reply));
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    const first = (await rig.stored(reply.id)).heartbeatAt?.getTime() ?? 0;
    await expect
      .poll(async () => (await rig.stored(reply.id)).heartbeatAt?.getTime())
      .toBeGreaterThan(first);
    await runner.stop(reply.id);
    await running;
  });
});

describe('a reply whose worker was lost', () => {
  it.each([
    [
      'is charged for the prompt that it sent',
      { promptTokens: 95 },
      [{ call: 'settle', attempt: 1, promptTokens: 95, completionTokens: 0 }],
    ],
    ['is charged nothing when it had sent nothing', undefined, [{ call: 'release', attempt: 1 }]],
  ])('restarts when nothing was published; the lost attempt %s', async (_, sent, closed) => {
    const reply = await rig.insert({ ...STREAMING, sent });
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', attempt: 2 });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      ...closed,
      { call: 'reserve', attempt: 2 },
      { call: 'settle', attempt: 2 },
    ]);
  });

  it('charges no prompt of an attempt that failed before it was sent', async () => {
    const reply = await rig.insert();
    const before = calls();
    const pathOfPrompt = async () => Promise.reject(new Error('The database is unreachable.'));
    await expect(
      rig.runner({ messages: { ...rig.messages, pathOfPrompt } }).run(jobOf(reply)),
    ).rejects.toThrow('database');
    expect(rig.recorded.of(reply.id)).toEqual([]);
    await rig.model.updateOne({ _id: reply.id }, { heartbeatAt: LONG_AGO });
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before + 1);
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'release', attempt: 1 },
      { call: 'reserve', attempt: 2 },
      { call: 'settle', attempt: 2 },
    ]);
  });

  it('is continued from the published text, and each attempt is charged for its own', async () => {
    const sent = { promptTokens: 95 };
    const reply = await rig.insert({ ...STREAMING, sent, content: 'Owls ' });
    await publish(reply, 1, 'Owls hoot');
    const before = calls();
    await rig.runner().run(jobOf(reply));
    expect(calls()).toBe(before + 1);
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Owls hootOwls hoot.',
      attempt: 2,
    });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      {
        call: 'settle',
        attempt: 1,
        promptTokens: 95,
        completionTokens: await countTokens('Owls hoot'),
      },
      { call: 'reserve', attempt: 2, isCounted: true },
      { call: 'settle', attempt: 2 },
    ]);
    // The lost worker continues: its deltas are refused.
    await expect(publish(reply, 1, '!', 9)).rejects.toMatchObject({ name: 'FencedError' });
  });

  it('is complete when the model adds nothing to the whole text that it had published', async () => {
    const reply = await rig.insert(STREAMING);
    await publish(reply, 1, 'Owls hoot.');
    const provider: ChatProvider = {
      model: 'test',
      async *stream() {
        yield { type: 'reasoning', requested: 'lowest', applied: 'default', parameter: null };
      },
    };
    await rig.runner({ provider }).run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Owls hoot.',
      attempt: 2,
    });
  });

  it('is continued from the last checkpoint when Redis has lost its log', async () => {
    const deltas = deltasFrom([{ type: 'text', text: 'Owls do ' }], 'Owls '.length);
    const reply = await rig.insert({ ...STREAMING, content: 'Owls ', deltas });
    await rig.runner().run(jobOf(reply));
    const end = { status: 'complete', content: 'Owls do Owls hoot.', attempt: 2 };
    expect(await rig.stored(reply.id)).toMatchObject(end);
  });

  it('is continued from all that it published, however old its checkpoint', async () => {
    const reply = await rig.insert(STREAMING);
    const published = Array.from({ length: 1_200 }, (_, n) => `${n} `);
    let at = 0;
    for (const text of published) {
      await publish(reply, 1, text, at);
      at += text.length;
    }
    await rig.runner().run(jobOf(reply));
    const content = `${published.join('')}Owls hoot.`;
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', content });
  });

  it('is charged no prompt without proof that it was sent, whatever it published', async () => {
    const reply = await rig.insert(STREAMING);
    await publish(reply, 1, 'Owls hoot');
    await rig.runner().run(jobOf(reply));
    const completionTokens = await countTokens('Owls hoot');
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', attempt: 1, promptTokens: 0, completionTokens },
      { call: 'reserve', attempt: 2 },
      { call: 'settle', attempt: 2 },
    ]);
  });

  it('does not restore text that an earlier attempt had published', async () => {
    const reply = await rig.insert({ ...STREAMING, attempt: 2, content: '' });
    await publish(reply, 1, 'Discarded');
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'complete', content: 'Owls hoot.' });
  });

  it('is interrupted with its text when the worker that took it over is also lost', async () => {
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
    expect((await rig.stored(reply.id)).content).toBe('Owls hootOwls hoot.');
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', attempt: 2, completionTokens: await countTokens('hoot') },
      { call: 'reserve', attempt: 3 },
      { call: 'settle', attempt: 3 },
    ]);
  });

  it('is interrupted with its text when the worker that continues it is lost before it adds any', async () => {
    const kept = { content: 'Owls hoot', keptLength: 9 };
    const reply = await rig.insert({ ...STREAMING, ...kept, attempt: 2, takeovers: 1 });
    await publish(reply, 2, 'Owls hoot');
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'interrupted',
      content: 'Owls hoot',
    });
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'release', attempt: 2 }]);
  });

  it('counts its attempts once when the worker dies between any two writes of a takeover', async () => {
    for (const failing of ['continueLost', 'settle'] as const) {
      const reply = await rig.insert({ ...STREAMING, sent: { promptTokens: 95 } });
      await publish(reply, 1, 'Owls hoot');
      const broken = async () => Promise.reject(new FencedError('The process died here.'));
      const worker =
        failing === 'settle'
          ? { usage: { ...rig.recorded.service, settle: broken, reserve: broken } }
          : { replies: { ...rig.replies, continueLost: broken } };
      await rig.runner(worker).run(jobOf(reply));
      await rig.model.updateOne({ _id: reply.id }, { heartbeatAt: LONG_AGO });
      await rig.runner().run(jobOf(reply));
      expect(await rig.stored(reply.id)).toMatchObject({
        status: 'interrupted',
        content: 'Owls hoot',
      });
      await settleLate(rig, new Date());
      const settled = rig.recorded.of(reply.id).filter(({ call }) => call === 'settle');
      expect(settled.filter(({ attempt }) => attempt === 1)).toMatchObject([
        { promptTokens: 95, completionTokens: await countTokens('Owls hoot') },
      ]);
    }
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

  it('fails when it has lost its worker too often', async () => {
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
      ...rig.recorded.service,
      reserve: async () => Promise.reject(new AppError('quota_exceeded', 'Your demo is used up.')),
    };
    await rig.runner({ usage }).run(jobOf(reply));
    const stored = await rig.stored(reply.id);
    expect(stored.status).toBe('failed');
    expect(stored.error?.message).toContain('Your demo is used up.');
  });
});

describe('a worker that is drained', () => {
  it('releases no reply that a later attempt has', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    await rig.model.updateOne({ _id: reply.id }, { attempt: 2 });
    runner.releaseAll();
    await running;
    expect(rig.recorded.of(reply.id)).toEqual([]);
    expect(await rig.producer.canRun(`${reply.id}.2`)).toBe(false);
  });

  it('releases a reply that has published nothing, without a charge, and the next attempt reserves', async () => {
    const reply = await rig.insert({}, 'silent');
    const runner = rig.runner();
    const before = calls();
    const running = runner.run(jobOf(reply));
    await expect.poll(calls).toBe(before + 1);
    runner.releaseAll();
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

  it('releases a continued reply when it has added nothing to the kept text', async () => {
    const reply = await rig.insert({ content: 'Now: ', keptLength: 5 });
    const provider: ChatProvider = {
      model: 'test',
      async *stream({ signal }) {
        runner.releaseAll();
        signal.throwIfAborted();
        yield { type: 'delta', part: 'text', text: 'Owls hoot.' };
      },
    };
    const runner = rig.runner({ provider });
    await runner.run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'queued', content: 'Now: ' });
    expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'release', attempt: 1 }]);
  });
});

describe('a worker that is drained in the middle of a reply', () => {
  const providerThatDrains = (drain: () => void): ChatProvider => ({
    model: 'test',
    async *stream({ signal }) {
      yield { type: 'delta', part: 'text', text: 'Owls ' };
      drain();
      signal.throwIfAborted();
    },
  });

  it('gives it to another worker, which continues the text; each is charged for its own', async () => {
    const reply = await rig.insert();
    const runner = rig.runner({ provider: providerThatDrains(() => runner.releaseAll()) });
    await runner.run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'queued',
      content: 'Owls ',
      jobId: `${reply.id}.2`,
    });
    await rig.model.updateOne({ _id: reply.parentId }, { content: 'Hello' });
    await rig.runner().run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'Owls Owls hoot.',
    });
    expect(rig.recorded.of(reply.id)).toMatchObject([
      { call: 'settle', attempt: 1, completionTokens: await countTokens('Owls ') },
      { call: 'reserve', attempt: 2, isCounted: true },
      { call: 'settle', attempt: 2 },
    ]);
  });

  it('interrupts it with its text when it was continued before', async () => {
    const reply = await rig.insert({ takeovers: 1 });
    const runner = rig.runner({ provider: providerThatDrains(() => runner.releaseAll()) });
    await runner.run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'interrupted', content: 'Owls ' });
  });
});

describe('a lost reply that is to be started again without quota', () => {
  it.each([
    ['quota_exceeded', 'quota_exceeded'],
    ['subscription_required', 'quota_exceeded'],
    ['too_many_replies', 'interrupted'],
  ] as const)('fails after %s with the code %s and the reason', async (refusal, code) => {
    const reply = await rig.insert({ ...STREAMING, reserved: undefined });
    const usage = {
      ...rig.recorded.service,
      reserve: async () => {
        throw new AppError(refusal, 'Choose a plan.');
      },
    };
    const before = calls();
    await rig.runner({ usage }).run(jobOf(reply));
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'failed',
      error: { code, message: 'This reply was interrupted. Choose a plan.' },
    });
    expect(calls()).toBe(before);
  });
});
