import { Types } from 'mongoose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { settleLate } from './finish.ts';
import { SWEEP_EVERY_MS, sweepReplies } from './heartbeat.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration();
});

const jobOf = ({ id, conversationId }: { id: string; conversationId: string }) => ({
  replyId: id,
  conversationId,
});

describe('sweepers', () => {
  const STALE = { heartbeatAt: LONG_AGO };

  it('enqueue each reply without a runnable job once, with any number of sweeps', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => rig.insert(STALE)));
    const added: string[] = [];
    const producer = {
      ...rig.producer,
      add: async (...args: Parameters<typeof rig.producer.add>) => {
        added.push(args[0]);
        await rig.producer.add(...args);
      },
    };
    const warn = vi.fn<(fields: object, text: string) => void>();
    const sweep = () =>
      sweepReplies({
        ...rig,
        replyQueues: rig.queuesWith({ producer }),
        log: { ...rig.log, warn } as never,
      });
    await Promise.all([sweep(), sweep()]);
    expect(warn).not.toHaveBeenCalled();
    for (const { id } of replies) expect(added.filter((job) => job === `${id}.1`)).toHaveLength(1);
    for (const { id } of replies) expect(await rig.producer.canRun(`${id}.1`)).toBe(true);
    expect((await rig.stored(replies[0]?.id ?? '')).heartbeatAt).toEqual(LONG_AGO);
  });

  it('leave a reply unchanged whose job waits in the queue', async () => {
    const reply = await rig.insert(STALE);
    await rig.producer.add(`${reply.id}.1`, jobOf(reply));
    const add = vi.fn<typeof rig.producer.add>(rig.producer.add);
    await sweepReplies({
      ...rig,
      replyQueues: rig.queuesWith({ producer: { ...rig.producer, add } }),
    });
    expect(add.mock.calls.map(([jobId]) => jobId)).not.toContain(`${reply.id}.1`);
  });

  it('replace a job that exists but can never run', async () => {
    const reply = await rig.insert(STALE);
    const jobId = `${reply.id}.1`;
    await rig.producer.add(jobId, jobOf(reply));
    await rig.redis.lrem('{replies}:replies:wait', 0, jobId);
    expect(await rig.producer.canRun(jobId)).toBe(false);
    await sweepReplies(rig);
    expect(await rig.producer.canRun(jobId)).toBe(true);
  });

  it('check every reply in turn: one without a job behind 1,100 waiting ones is found', async () => {
    const { _id: _one, ...waiting } = await rig.stored((await rig.insert(STALE)).id);
    const others = Array.from({ length: 1_100 }, () => ({
      ...waiting,
      _id: new Types.ObjectId(),
      conversationId: new Types.ObjectId(),
    }));
    await rig.model.collection.insertMany(others);
    const lost = await rig.insert({ heartbeatAt: new Date(LONG_AGO.getTime() + 1) });
    let time = Date.now();
    const swept: string[][] = [];
    const canRun = async (jobId: string) => {
      swept.at(-1)?.push(jobId.split('.')[0] ?? '');
      return true;
    };
    const replyQueues = rig.queuesWith({ producer: { ...rig.producer, canRun } });
    const generation = { ...rig, now: () => new Date(time), replyQueues };
    const sweepOnce = async () => {
      time += SWEEP_EVERY_MS;
      swept.push([]);
      await sweepReplies(generation);
    };
    for (const _ of [1, 2, 3]) await sweepOnce();
    expect(swept.flat()).toContain(lost.id);
    const [, second = ''] = swept.at(-1) ?? [];
    for (const _ of [1, 2, 3]) await sweepOnce();
    // Each of them again, and a never seen one before all of them.
    expect(swept.slice(3).flat()).toEqual(expect.arrayContaining([lost.id, second]));
    const fresh = await rig.insert(STALE);
    await sweepOnce();
    expect(swept.at(-1)?.slice(0, 10)).toContain(fresh.id);
    await rig.model.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
  });

  it('complete the send of a reply that they find', async () => {
    const reply = await rig.insert(STALE);
    const completed: string[] = [];
    const completeSend = async ({ id }: { id: string }) => {
      completed.push(id);
      return false;
    };
    await sweepReplies({ ...rig, completeSend });
    expect(completed).toContain(reply.id);
  });

  it('report a send that they could not complete', async () => {
    const reply = await rig.insert(STALE);
    const warn = vi.fn<(fields: object, text: string) => void>();
    const completeSend = async ({ id }: { id: string }) => {
      if (id === reply.id) throw new Error('The message cannot be stored.');
      return false;
    };
    await sweepReplies({ ...rig, completeSend, log: { ...rig.log, warn } as never });
    expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([{ replyId: reply.id }]);
  });

  it('are not stopped by a reply that fails, and settle in any case', async () => {
    const [bad, good] = [await rig.insert(STALE), await rig.insert(STALE)];
    const charges = [{ attempt: 1, promptTokens: 3, completionTokens: 4, at: LONG_AGO }];
    const owed = await rig.insert({ status: 'complete', active: undefined, charges });
    const canRun = async (jobId: string) => {
      if (jobId.startsWith(bad.id)) throw new Error('Redis is unreachable.');
      return rig.producer.canRun(jobId);
    };
    const replyQueues = rig.queuesWith({ producer: { ...rig.producer, canRun } });
    await sweepReplies({ ...rig, replyQueues });
    expect(await rig.producer.canRun(`${good.id}.1`)).toBe(true);
    expect(rig.recorded.of(owed.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
    const replies = { ...rig.replies, findStale: async () => Promise.reject(new Error('down')) };
    const late = await rig.insert({ status: 'complete', active: undefined, charges });
    await expect(sweepReplies({ ...rig, replies })).rejects.toThrow('down');
    expect(rig.recorded.of(late.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
  });

  it('settle two charges even when the first fails', async () => {
    const charge = { promptTokens: 3, completionTokens: 4, at: LONG_AGO };
    const ended = { status: 'complete', active: undefined };
    const first = await rig.insert({ ...ended, charges: [{ attempt: 1, ...charge }] });
    const second = await rig.insert({ ...ended, charges: [{ attempt: 1, ...charge }] });
    rig.recorded.switches.failure = new Error('down');
    await settleLate(rig, new Date());
    rig.recorded.switches.failure = undefined;
    expect((await rig.stored(first.id)).charges).toHaveLength(1);
    await settleLate(rig, new Date());
    for (const { id } of [first, second]) expect((await rig.stored(id)).charges).toEqual([]);
  });
});
