import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { actorOf } from '../../../../test/chat.ts';
import { LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { startRedis, type TestProcess } from '../../../../test/processes.ts';
import { continueReply, readTail, stopReply } from './control.ts';
import { sweepReplies } from './heartbeat.ts';
import { aheadOf, enqueueReply, takePriority } from './queue.ts';

let server: TestProcess;
let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  server = await startRedis();
  rig = await startGeneration({ redisUrl: server.url });
});
beforeEach(async () => {
  await Promise.all([rig.redis.flushall(), rig.model.deleteMany({})]);
});

type Rig = typeof rig;
type Inserted = Awaited<ReturnType<Rig['insert']>>;

const found = async (key: Pick<Inserted, 'id' | 'conversationId'>) => {
  const reply = await rig.replies.find(key);
  if (!reply) throw new Error('The reply is not stored.');
  return reply;
};

/** Queues a reply of a new user, as a send does. */
const queued = async (lane: 'pro' | 'starter' | 'guest', fields: object = {}) => {
  const reply = await rig.insert({ lane, ...fields });
  await enqueueReply(
    rig,
    await found(reply),
    takePriority(rig, { ...reply, userId: reply.ownerId, lane }),
  );
  return reply;
};

const waiting = async () => {
  const { ahead, jobIds } = await rig.producer.waiting({ limit: 100 });
  return { ahead, ids: jobIds.map((jobId) => jobId.split('.')[0]) };
};
const idsOf = (...replies: Inserted[]) => replies.map(({ id }) => id);
const jobIdOf = ({ id }: Inserted) => `${id}.1`;
describe('a queued reply', () => {
  it('waits in the lane of its owner', async () => {
    const [guest, starter, pro] = [
      await queued('guest'),
      await queued('starter'),
      await queued('pro'),
    ];
    expect((await waiting()).ids).toEqual(idsOf(pro, starter, guest));
  });

  it('of a user who has many takes turns with those of others', async () => {
    const { ownerId } = await queued('starter');
    for (let n = 0; n < 5; n += 1) {
      const reply = await found(await rig.insert({ lane: 'starter' }));
      await enqueueReply(
        rig,
        reply,
        takePriority(rig, { ...reply, userId: ownerId, lane: 'starter' }),
      );
    }
    const one = await queued('starter');
    expect((await waiting()).ids.indexOf(one.id)).toBeLessThanOrEqual(2);
  });

  it('publishes its position to its owner at once when others start before it, and only then', async () => {
    const first = await rig.insert({ lane: 'guest' });
    const second = await rig.insert({ lane: 'guest', content: 'Owls', keptLength: 4, attempt: 2 });
    const [heard, published] = [await rig.listen(first.ownerId), await rig.listen(second.ownerId)];
    for (const reply of [first, second])
      await enqueueReply(
        rig,
        await found(reply),
        takePriority(rig, { ...reply, userId: reply.ownerId, lane: 'guest' }),
      );
    await expect.poll(() => published.length).toBe(1);
    expect(published[0]).toEqual({
      event: 'reply:state',
      payload: {
        replyId: second.id,
        conversationId: second.conversationId,
        attempt: 2,
        status: 'queued',
        length: 4,
        ahead: 1,
      },
    });
    expect(heard).toEqual([]);
  });

  it('has its position in its tail', async () => {
    await queued('pro');
    const guest = await queued('guest');
    const tail = () =>
      readTail(rig, actorOf(guest.ownerId), { id: guest.id, attempt: 0, offset: 0 });
    expect(await tail()).toMatchObject({ status: 'queued', ahead: 1 });
    await rig.runner().run({ replyId: guest.id, conversationId: guest.conversationId });
    expect((await tail()).ahead).toBeUndefined();
  });

  it('has a tail without a position while Redis is unreachable', async () => {
    const guest = await queued('guest');
    const ahead = async () => Promise.reject(new Error('down'));
    const replyQueues = { ...rig.replyQueues, ahead };
    expect(await aheadOf({ replyQueues }, await found(guest))).toBeNull();
  });

  it('is enqueued although its position cannot be published', async () => {
    const reply = await found(await rig.insert({ lane: 'guest' }));
    const warn = vi.fn<(fields: object, text: string) => void>();
    const ahead = async () => Promise.reject(new Error('down'));
    const replyQueues = { ...rig.replyQueues, ahead };
    const queue = { ...rig, replyQueues, log: { ...rig.log, warn } as never };
    await enqueueReply(queue, reply, Promise.resolve(1));
    expect(await rig.producer.canRun(reply.jobId)).toBe(true);
    await expect.poll(() => warn.mock.calls.length).toBe(1);
  });

  it('that is stopped leaves the queue, and the next one moves up', async () => {
    const [first, second] = [await queued('guest'), await queued('guest')];
    await stopReply(rig, actorOf(first.ownerId), first.id);
    expect(await waiting()).toEqual({ ahead: 0, ids: idsOf(second) });
    expect(await rig.producer.ahead(jobIdOf(second))).toBe(0);
  });

  it('that is continued waits in the current lane of its owner', async () => {
    const pro = await queued('pro');
    const ended = {
      status: 'stopped',
      active: undefined,
      attempt: 1,
      content: 'Owls',
      lane: 'pro',
    };
    const reply = await rig.insert(ended);
    const guest = await queued('guest');
    await continueReply(rig, actorOf(reply.ownerId), reply.id);
    expect((await rig.stored(reply.id)).lane).toBe('starter');
    expect((await waiting()).ids).toEqual([pro.id, reply.id, guest.id]);
  });
});

describe('a send that is repeated', () => {
  it('takes no second turn while its job waits', async () => {
    const reply = await queued('guest');
    const enter = vi.fn<typeof rig.fairQueue.enter>(rig.fairQueue.enter);
    const replyQueues = rig.queuesWith({ fairQueue: { ...rig.fairQueue, enter } });
    const queue = { ...rig, replyQueues };
    await enqueueReply(queue, await found(reply));
    expect(enter).not.toHaveBeenCalled();
    await rig.producer.remove(jobIdOf(reply));
    await enqueueReply(queue, await found(reply));
    expect(enter.mock.calls).toEqual([[{ group: 'guest', member: reply.ownerId }]]);
    expect((await waiting()).ids).toEqual([reply.id]);
  });
});

describe('sweepers', () => {
  const STALE = { heartbeatAt: LONG_AGO };

  it('enqueue replies in their lanes when Redis has lost the queue', async () => {
    const guest = await queued('guest', STALE);
    const pro = await queued('pro', STALE);
    await rig.redis.flushall();
    await sweepReplies(rig);
    expect((await waiting()).ids).toEqual(idsOf(pro, guest));
  });

  it('enqueue a reply that had started before all that wait', async () => {
    const pro = await queued('pro');
    const lost = await rig.insert({ ...STALE, status: 'streaming', attempt: 1 });
    await sweepReplies(rig);
    expect(await waiting()).toEqual({ ahead: 1, ids: [pro.id] });
    expect(await rig.producer.canRun(jobIdOf(lost))).toBe(true);
    expect(await rig.producer.ahead(jobIdOf(pro))).toBe(1);
  });
});

describe('a reply that a stopping worker gives back', () => {
  it('starts before all waiting ones', async () => {
    const pro = await queued('pro');
    rig.provider.onMessage('silent', { content: 'Hm' }, { streamingProfile: { ttft: 60_000 } });
    const reply = await rig.insert({ lane: 'guest' }, 'silent');
    const runner = rig.runner();
    const before = rig.provider.getRequests().length;
    const running = runner.run({ replyId: reply.id, conversationId: reply.conversationId });
    await expect.poll(() => rig.provider.getRequests().length).toBe(before + 1);
    runner.releaseAll();
    await running;
    expect(await waiting()).toEqual({ ahead: 1, ids: [pro.id] });
    expect(await rig.producer.canRun(`${reply.id}.2`)).toBe(true);
  });
});
