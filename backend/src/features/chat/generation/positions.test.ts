import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { actorOf } from '../../../../test/chat.ts';
import { startGeneration } from '../../../../test/generation.ts';
import { startRedis } from '../../../../test/processes.ts';
import type { ReplyState } from '../../../contract/replies.ts';
import { stopReply } from './control.ts';
import { type Positions, publishPositions, takePriority } from './queue.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration({ redisUrl: (await startRedis()).url });
});
beforeEach(async () => {
  await Promise.all([rig.redis.flushall(), rig.model.deleteMany({})]);
});

/** The sweep of one worker, with the positions published since the last look. */
const sweeper = () => {
  const published: (ReplyState & { userId: string })[] = [];
  const bus = {
    ...rig.bus,
    publish: async (userId: string, _event: string, payload: unknown) => {
      published.push({ userId, ...(payload as ReplyState) });
    },
  };
  const findQueued = vi.fn<typeof rig.replies.findQueued>(rig.replies.findQueued);
  const generation = { ...rig, replies: { ...rig.replies, findQueued }, bus };
  const positions: Positions = new Map();
  const sweep = () => publishPositions(generation, positions);
  return {
    findQueued,
    /** Runs the sweep and returns the published positions by reply. */
    run: async () => {
      await sweep();
      return Object.fromEntries(
        published
          .splice(0)
          .map(({ replyId, ahead }): [string, number | undefined] => [replyId, ahead]),
      );
    },
    states: async () => {
      await sweep();
      return published.splice(0);
    },
  };
};

/** Queued replies of guests, one user each. */
const queue = async (count: number, fields: object = {}) => {
  const inserted = await Promise.all(
    Array.from({ length: count }, () => rig.insert({ lane: 'guest', ...fields })),
  );
  const replies = [];
  for (const { id, ownerId, userId, conversationId } of inserted) {
    const priority = await takePriority(rig, { conversationId, userId, lane: 'guest' });
    const jobId = `${id}.1`;
    await rig.producer.add(jobId, { replyId: id, conversationId }, { priority });
    replies.push({ id, ownerId, conversationId, jobId });
  }
  return replies;
};

const idsAndPositions = (replies: { id: string }[], first = 0) =>
  Object.fromEntries(replies.map(({ id }, index) => [id, first + index]));

describe('the positions of waiting replies', () => {
  it('count down, and end when the reply has left the queue', async () => {
    const [a, b, c] = await queue(3);
    if (!a || !b || !c) throw new Error('Nothing was queued.');
    const { run } = sweeper();
    expect(await run()).toEqual({ [b.id]: 1, [c.id]: 2 });
    await rig.producer.remove(a.jobId);
    expect(await run()).toEqual({ [b.id]: 0, [c.id]: 1 });
    await rig.producer.remove(b.jobId);
    expect(await run()).toEqual({ [c.id]: 0 });
    await rig.producer.remove(c.jobId);
    expect(await run()).toEqual({});
  });

  it('increase when a reply of a greater lane arrives', async () => {
    const [a, b] = await queue(2);
    const { run } = sweeper();
    await run();
    const pro = await rig.insert({ lane: 'pro' });
    const priority = await takePriority(rig, { ...pro, userId: pro.ownerId, lane: 'pro' });
    const { id: replyId, conversationId } = pro;
    await rig.producer.add(`${replyId}.1`, { replyId, conversationId }, { priority });
    expect(await run()).toEqual({ [a?.id ?? '']: 1, [b?.id ?? '']: 2 });
  });

  it('count the replies without a lane, which start first', async () => {
    const [a] = await queue(1);
    await rig.producer.add('lost', { replyId: 'lost', conversationId: 'x' });
    expect(await sweeper().run()).toEqual({ [a?.id ?? '']: 1 });
  });

  it('are published to the owner, with the text that a continued reply keeps', async () => {
    await queue(1);
    const [reply] = await queue(1, { attempt: 2, keptLength: 4, content: 'Owls' });
    expect(await sweeper().states()).toEqual([
      {
        userId: reply?.ownerId,
        replyId: reply?.id,
        conversationId: reply?.conversationId,
        attempt: 2,
        status: 'queued',
        length: 4,
        ahead: 1,
      },
    ]);
  });

  it('are published when they have changed, and each reply is read once', async () => {
    const replies = await queue(4);
    const { run, findQueued } = sweeper();
    await run();
    expect(await run()).toEqual({ [replies[0]?.id ?? '']: 0 });
    expect(await run()).toEqual({});
    expect(findQueued).toHaveBeenCalledTimes(1);
  });

  it('far back are published when they have changed by one in fifty', async () => {
    const replies = await queue(160);
    const { run } = sweeper();
    const first = await run();
    expect(Object.keys(first)).toHaveLength(159);
    await run();
    for (const { jobId } of replies.slice(0, 2)) await rig.producer.remove(jobId);
    const second = await run();
    expect(second).toEqual(idsAndPositions(replies.slice(2, 152)));
    await rig.producer.remove(replies[2]?.jobId ?? '');
    expect(await run()).toEqual({
      ...idsAndPositions(replies.slice(3, 103)),
      ...idsAndPositions(replies.slice(152), 149),
    });
  });

  it('of a reply that has ended meanwhile are not published', async () => {
    const replies = await queue(3);
    const [, b, c] = replies;
    await rig.model.updateOne(
      { _id: b?.id },
      { $set: { status: 'stopped' }, $unset: { active: 1 } },
    );
    const { run, findQueued } = sweeper();
    expect(await run()).toEqual({ [c?.id ?? '']: 2 });
    await run();
    expect(findQueued).toHaveBeenCalledTimes(1);
  });

  it('of a stopped reply never follow its end', async () => {
    const [, b] = await queue(2);
    if (!b) throw new Error('Nothing was queued.');
    const states = sweeper().states;
    const [waiting] = await states();
    const stopped = await stopReply(rig, actorOf(b.ownerId), b.id);
    expect(stopped).toMatchObject({ status: 'stopped' });
    expect(stopped.attempt).toBeGreaterThan(waiting?.attempt ?? 0);
    expect((await states()).map(({ replyId }) => replyId)).not.toContain(b.id);
  });
});
