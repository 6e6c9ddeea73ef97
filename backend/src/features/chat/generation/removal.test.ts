import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../../test/chat.ts';
import { startGeneration } from '../../../../test/generation.ts';
import { removeMessagesOf } from './removal.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration();
});

/** Removes the user's messages; `onPoll` is called before each wait. */
const remove = (ownerId: string, onPoll: () => Promise<void>, changes: object = {}) =>
  removeMessagesOf({ ...rig, ...changes, sleep: onPoll }, ownerId);

/** A complete reply with these post-steps. */
const insert = (ownerId: string, ...postSteps: object[]) => {
  const sweepAt = new Date(Date.now() + 60_000);
  const steps = postSteps.map((step) => ({ name: 'memory', tries: 0, sweepAt, ...step }));
  const complete = { status: 'complete', active: undefined, attempt: 1, ownerId };
  return rig.insert({ ...complete, postSteps: steps });
};

describe('the removal of a user', () => {
  it('waits for running post-steps, and starts no more', async () => {
    const ownerId = newId();
    const { id, conversationId } = await insert(ownerId, { tries: 1, heartbeatAt: new Date() });
    const keyOf = (reply: Pick<typeof other, 'id' | 'conversationId'>) => ({
      replyId: reply.id,
      conversationId: reply.conversationId,
      attempt: 1,
      step: 'memory',
    });
    const other = await insert(ownerId, {});
    const start = (reply: typeof other) => {
      const now = new Date();
      return rig.steps.tasks.start(keyOf(reply), { now, lostBefore: new Date(0), dueAt: now }, {});
    };
    let polls = 0;
    await remove(ownerId, async () => {
      polls += 1;
      expect(await rig.stored(id)).toBeDefined();
      expect(await start(other)).toBeNull();
      await rig.steps.tasks.end({ key: keyOf({ id, conversationId }), attempt: 1 });
    });
    expect(polls).toBe(1);
    expect(await rig.model.exists({ ownerId })).toBeNull();
  });

  it('reads all messages twice, however long a reply takes to end', async () => {
    const ownerId = newId();
    const { id } = await rig.insert({ ownerId, status: 'streaming', attempt: 1 });
    const keysOf = vi.fn<typeof rig.replies.keysOf>(rig.replies.keysOf);
    let polls = 0;
    const onPoll = async () => {
      polls += 1;
      if (polls === 5)
        await rig.model.updateOne({ _id: id }, { status: 'stopped', $unset: { active: 1 } });
    };
    await remove(ownerId, onPoll, { replies: { ...rig.replies, keysOf } });
    expect(polls).toBe(5);
    expect(keysOf.mock.calls.filter(([, { open }]) => open)).toHaveLength(2);
    expect(await rig.model.exists({ ownerId })).toBeNull();
  });

  it('is retried when another reply was stored while the first one ended', async () => {
    const ownerId = newId();
    const ended = { status: 'stopped', $unset: { active: 1 } };
    const { id } = await rig.insert({ ownerId });
    const onPoll = async () => {
      await rig.insert({ ownerId });
      await rig.model.updateOne({ _id: id }, ended);
    };
    await expect(remove(ownerId, onPoll)).rejects.toThrow('has not ended');
    expect(await rig.model.exists({ _id: id })).not.toBeNull();
    await rig.model.updateMany({ ownerId }, ended);
    await remove(ownerId, onPoll);
    expect(await rig.model.exists({ ownerId })).toBeNull();
  });

  it('is retried when a post-step does not end in time, and does not wait for one of a lost worker', async () => {
    const ownerId = newId();
    const { id } = await insert(ownerId, { tries: 1, heartbeatAt: new Date() });
    await expect(remove(ownerId, async () => undefined)).rejects.toThrow('has not ended');
    const lost = { $set: { 'postSteps.0.heartbeatAt': new Date(Date.now() - 61_000) } };
    await rig.model.updateOne({ _id: id }, lost);
    await remove(ownerId, async () => undefined);
    expect(await rig.model.exists({ ownerId })).toBeNull();
  });
});
