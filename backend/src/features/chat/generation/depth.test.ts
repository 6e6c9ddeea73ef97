import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startGeneration } from '../../../../test/generation.ts';
import type { ChatProvider } from '../../../llm/index.ts';
import type { NamedModel } from '../../context.ts';
import { createDepthTimes, createTiming } from './depth.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
beforeAll(async () => {
  rig = await startGeneration();
});

/** A reply from a provider that applies `applied`. */
async function replyAt(
  depth: string,
  applied: object,
  {
    reserved = true,
    usage = true,
    named,
  }: { reserved?: boolean; usage?: boolean; named?: NamedModel } = {},
) {
  const requests: Parameters<ChatProvider['stream']>[0][] = [];
  const provider: ChatProvider = {
    model: 'asked',
    stream: async function* (request) {
      requests.push(request);
      const requested = request.reasoning ?? 'medium';
      yield { type: 'reasoning', requested, applied: 'default', parameter: null, ...applied };
      yield { type: 'delta', part: 'reasoning', text: 'Hm.' };
      yield { type: 'delta', part: 'text', text: 'Owls hoot.' };
      if (!usage) return;
      yield {
        type: 'usage',
        promptTokens: 9,
        cachedTokens: 0,
        completionTokens: 8,
        reasoningTokens: 5,
        model: 'answered',
      };
    },
  };
  const reply = await rig.insert({ settings: { depth } });
  if (!reserved) await rig.model.updateOne({ _id: reply.id }, { $unset: { reserved: 1 } });
  const times = createDepthTimes(rig.redis, rig.log);
  const add = vi.fn<typeof times.add>(times.add);
  const { id: replyId, conversationId } = reply;
  const contribute = async () => (named ? { text: 'Be brief.', model: named } : undefined);
  const contributors = [{ name: 'persona' as const, contribute }];
  const runner = rig.runner({ provider, contributors, depthTimes: { ...times, add } });
  await runner.run({ replyId, conversationId });
  const stored = await rig.stored(replyId);
  return { request: requests[0], receipt: stored.metadata?.depthReceipt as object, add, times };
}

describe('the depth of a reply', () => {
  it.each([
    ['fast', 'lowest', 250],
    ['balanced', 'medium', 500],
    ['deep', 'highest', 1_000],
  ])('%s asks for the reasoning %s, and reserves its longest reply', async (depth, level, most) => {
    const { request } = await replyAt(depth, {}, { reserved: false });
    expect(request).toMatchObject({ reasoning: level, maxTokens: most });
  });

  it('is stored as requested and as applied, with its usage', async () => {
    const sent = { applied: 'highest', parameter: 'reasoning_effort: high' };
    const { receipt } = await replyAt('deep', sent);
    expect(receipt).toEqual({
      requested: 'deep',
      applied: 'deep',
      model: 'answered',
      parameter: 'reasoning_effort: high',
      reasoningTokens: 5,
      firstTokenMs: expect.any(Number) as number,
      totalMs: expect.any(Number) as number,
      reasoningMs: expect.any(Number) as number,
    });
  });

  it('reports when another one was applied', async () => {
    expect(
      (await replyAt('balanced', { applied: 'lowest', parameter: 'p: off' })).receipt,
    ).toMatchObject({
      requested: 'balanced',
      applied: 'fast',
    });
    expect((await replyAt('deep', { refused: 'reasoning_effort' })).receipt).toMatchObject({
      requested: 'deep',
      applied: 'default',
      parameter: null,
      refused: 'reasoning_effort',
    });
  });

  it('uses the model that the persona names', async () => {
    const named = { name: 'owl-1', isOffered: true };
    const { request, receipt } = await replyAt('fast', {}, { named, usage: false });
    expect(request).toMatchObject({ model: 'owl-1' });
    expect(receipt).toMatchObject({ model: 'owl-1' });
    expect(receipt).not.toHaveProperty('requestedModel');
  });

  it("reports when the persona's model is no longer offered: the default one is called", async () => {
    const named = { name: 'gone', isOffered: false };
    const { request, receipt } = await replyAt('fast', {}, { named, usage: false });
    expect(request).not.toHaveProperty('model');
    expect(receipt).toMatchObject({ model: 'asked', requestedModel: 'gone' });
  });

  it('is counted with the time of the reply', async () => {
    const { add, receipt } = await replyAt('fast', {});
    expect(add).toHaveBeenCalledExactlyOnceWith(receipt);
  });
});

describe('the median time of a depth', () => {
  it('counts the last 50 replies', async () => {
    await rig.redis.del('depth-times:fast', 'depth-times:deep');
    const times = createDepthTimes(rig.redis, rig.log);
    const add = (requested: 'fast' | 'deep', totalMs: number) =>
      times.add({
        requested,
        applied: requested,
        model: 'm',
        parameter: null,
        reasoningTokens: null,
        firstTokenMs: 1,
        totalMs,
      });
    for (let n = 0; n < 60; n += 1) add('fast', n < 10 ? 1_000_000 : n);
    add('deep', 100);
    add('deep', 201);
    await expect.poll(() => times.medians()).toMatchObject({ fast: 35, deep: 151 });
    expect(await rig.redis.llen('depth-times:fast')).toBe(50);
  });
});

it('times count from the call, and reasoning up to the answer', () => {
  let now = 0;
  const at = (ms: number) => {
    now = ms;
  };
  const timing = createTiming(() => now);
  at(10);
  timing.start();
  at(30);
  timing.delta('reasoning');
  at(50);
  timing.delta('text');
  at(90);
  timing.delta('text');
  at(100);
  expect(timing.end()).toEqual({ firstTokenMs: 20, totalMs: 90, reasoningMs: 20 });
});
