import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/chat.ts';
import { startGeneration } from '../../../../test/generation.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import { createTaskQueue, createTaskSweep } from '../../../jobs/durable.ts';
import { createProducer, type JobProducer } from '../../../jobs/producer.ts';
import { ownPayer } from '../../payer.ts';
import type { PostStep } from '../../post-step.ts';
import { DEFAULT_SETTINGS } from '../messages/index.ts';
import type { StepsFeature } from './feature.ts';
import { postStepJob, type StepKey, stepJobId } from './job.ts';
import { createPostSteps, RUN_LIMIT_MS } from './runner.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
let stepProducer: JobProducer<StepKey>;
const INSIGHT = { insightCards: [{ insight: 'Owls hoot.' }] };

beforeAll(async () => {
  rig = await startGeneration();
  stepProducer = createProducer(postStepJob, rig.redis);
});

const postSteps = (
  run: PostStep['run'],
  {
    postSteps: all = [{ name: 'memory', run }],
    runLimitMs = RUN_LIMIT_MS,
    ...changes
  }: Partial<StepsFeature> & { postSteps?: PostStep[]; runLimitMs?: number } = {},
) => createPostSteps({ ...rig.postSteps, ...changes }, { postSteps: all, runLimitMs });

/** A complete reply with one pending step. */
async function insert(fields: object = {}) {
  const step = { name: 'memory', tries: 0, sweepAt: new Date() };
  const complete = { status: 'complete', active: undefined, attempt: 2, content: 'Owls hoot.' };
  const reply = await rig.insert({ ...complete, postSteps: [step], ...fields }, 'What do owls do?');
  return {
    ...reply,
    key: {
      replyId: reply.id,
      conversationId: reply.conversationId,
      attempt: 2,
      step: 'memory',
    },
  };
}

describe('a post-step', () => {
  it('gets message and reply, and its metadata is stored and published', async () => {
    const { key, ...reply } = await insert();
    const events = await rig.listen(reply.ownerId);
    const inputs: object[] = [];
    const { run } = postSteps(async ({ signal: _signal, ...input }) => {
      inputs.push(input);
      return INSIGHT;
    });
    await run(key);
    await run(key);
    const { id, ownerId, conversationId, parentId } = reply;
    expect(inputs).toEqual([
      {
        ownerId,
        payer: ownPayer(ownerId),
        conversationId,
        run: 1,
        message: { id: parentId, content: 'What do owls do?', createdAt: expect.any(Date) as Date },
        reply: { id, attempt: 2, content: 'Owls hoot.', settings: DEFAULT_SETTINGS },
      },
    ]);
    expect((await rig.stored(id)).metadata).toEqual(INSIGHT);
    await expect
      .poll(() => events)
      .toMatchObject([
        {
          event: 'message:updated',
          payload: { id, siblingIds: [id], content: 'Owls hoot.', metadata: INSIGHT },
        },
      ]);
  });

  it.each([
    ['the owner has sent', { clientMessageId: 'a' }, true],
    ['the owner has sent when the conversation was another user’s', { isBack: true }, true],
    ['was imported or copied', {}, undefined],
    ['somebody else has sent', { clientMessageId: 'a', authorId: newId() }, undefined],
  ])('is told whether the owner has typed the message: one that %s', async (_, fields, typed) => {
    const { key, ownerId, parentId } = await insert();
    const { isBack, ...set } = { isBack: false, ...fields };
    const back = isBack && { clientMessageId: 'a', authorId: ownerId };
    await rig.model.updateOne({ _id: parentId }, { $set: { ...set, ...back } });
    const told: unknown[] = [];
    await postSteps(async ({ message }) => {
      told.push(message.isTypedByOwner);
      return undefined;
    }).run(key);
    expect(told).toEqual([typed]);
  });

  it('without metadata publishes nothing', async () => {
    const { key, id } = await insert();
    const published: string[] = [];
    const bus = {
      ...rig.bus,
      publish: async (_: string, event: string) => void published.push(event),
    };
    await postSteps(async () => undefined, { bus }).run(key);
    expect([published, (await rig.stored(id)).postSteps]).toEqual([[], []]);
  });

  it('that fails is retried with growing delays, and given up after five attempts', async () => {
    const { key, id } = await insert();
    const { run } = postSteps(async () => Promise.reject(new Error('Gone')));
    const delays: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const error = await run(key).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RunLaterError);
      delays.push((error as RunLaterError).delayMs);
    }
    expect(delays).toEqual([10_000, 30_000, 90_000, 270_000]);
    await run(key);
    expect(await rig.stored(id)).toMatchObject({ postSteps: [], failedSteps: ['memory'] });
  });

  it('that has crashed its worker twice is given up', async () => {
    const { key, id } = await insert({
      postSteps: [{ name: 'memory', tries: 2, lost: 2, sweepAt: new Date() }],
    });
    let runs = 0;
    const { run } = postSteps(async () => {
      runs += 1;
      return INSIGHT;
    });
    await run(key);
    expect(runs).toBe(0);
    expect(await rig.stored(id)).toMatchObject({ postSteps: [], failedSteps: ['memory'] });
  });

  it('that no feature has is retried', async () => {
    const { key } = await insert();
    const { run } = postSteps(async () => INSIGHT, { postSteps: [] });
    await expect(run(key)).rejects.toBeInstanceOf(RunLaterError);
  });

  it('that ignores its signal does not keep a worker from stopping', async () => {
    const { key } = await insert();
    let begun = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const steps = postSteps(() => {
      begun();
      return new Promise(() => {});
    });
    const run = steps.run(key);
    await running;
    steps.releaseAll();
    await expect(run).rejects.toBeInstanceOf(RunLaterError);
  });

  it('that takes too long fails, and its signal is aborted', async () => {
    const { key } = await insert();
    let signal: AbortSignal | undefined;
    const run: PostStep['run'] = (input) => {
      ({ signal } = input);
      return new Promise(() => {});
    };
    const running = postSteps(run, { runLimitMs: 50 }).run(key);
    await expect(running).rejects.toBeInstanceOf(RunLaterError);
    expect(signal?.aborted).toBe(true);
  });

  it('cannot have the name of another one', () => {
    const step = { name: 'memory', run: async () => undefined };
    expect(() => createPostSteps(rig.postSteps, { postSteps: [step, step] })).toThrow(
      'the same name',
    );
  });
});

describe('a post-step without a job', () => {
  const PAST = new Date(Date.now() - 60_000);
  const late = { postSteps: [{ name: 'memory', tries: 0, sweepAt: PAST }] };

  it('is enqueued by the sweep', async () => {
    const { key } = await insert(late);
    await createTaskSweep({ ...rig, tasks: rig.steps.tasks, queue: rig.postSteps.stepQueue })();
    expect(await stepProducer.canRun(stepJobId(key))).toBe(true);
  });

  it('is enqueued later when Redis is unreachable after the reply', async () => {
    const add = async () => Promise.reject(new Error('Redis is unreachable'));
    const producer = { ...stepProducer, add };
    const stepQueue = createTaskQueue(postStepJob, { ...rig, producer, idOf: stepJobId });
    const { enqueue } = postSteps(async () => INSIGHT, { stepQueue });
    const { id, conversationId } = await insert();
    await expect(enqueue({ id, conversationId, attempt: 2 }, ['insight'])).resolves.toBeUndefined();
  });
});
