import { beforeAll, describe, expect, it } from 'vitest';
import { actorOf, newId } from '../../../../test/chat.ts';
import { startGeneration } from '../../../../test/generation.ts';
import { expectRejections } from '../../../../test/rejections.ts';
import type { Reply } from '../../../contract/messages.ts';
import { ReplyFeedbackBody } from '../../../contract/replies.ts';
import { rateReply } from './control.ts';
import type { GenerationFeature } from './feature.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration();
});

const ENDED = { status: 'complete', active: undefined, attempt: 1, content: 'Owls hoot.' };

const rate = (
  actor: { userId: string },
  id: string,
  body: ReplyFeedbackBody,
  changes: Partial<GenerationFeature> = {},
) => rateReply({ ...rig, ...changes }, actor, { id, ...body });

const storedFeedback = async (id: string) => (await rig.stored(id)).feedback ?? null;

describe('rating a reply', () => {
  it('stores the rating with its reason, answers the reply and publishes it', async () => {
    const reply = await rig.insert(ENDED);
    const events = await rig.listen(reply.ownerId);
    const result = await rate(actorOf(reply.ownerId), reply.id, {
      rating: 'bad',
      reason: 'Not true',
    });
    expect(result.reply).toMatchObject({
      id: reply.id,
      content: 'Owls hoot.',
      siblingIds: [reply.id],
      feedback: { rating: 'bad', reason: 'Not true' },
    });
    await expect.poll(() => events).toEqual([{ event: 'message:updated', payload: result.reply }]);
  });

  it('replaces the rating, and removes a reason that is left out', async () => {
    const reply = await rig.insert(ENDED);
    const actor = actorOf(reply.ownerId);
    await rate(actor, reply.id, { rating: 'bad', reason: 'Not true' });
    const { reply: rated } = await rate(actor, reply.id, { rating: 'good' });
    expect(rated.feedback).toEqual({ rating: 'good' });
    expect(await storedFeedback(reply.id)).toEqual({ rating: 'good' });
  });

  it('removes the feedback', async () => {
    const reply = await rig.insert(ENDED);
    const actor = actorOf(reply.ownerId);
    await rate(actor, reply.id, { rating: 'good' });
    const { reply: rated } = await rate(actor, reply.id, { rating: null, reason: 'none' });
    expect(rated).not.toHaveProperty('feedback');
    expect(await storedFeedback(reply.id)).toBeNull();
  });

  it.each(['complete', 'failed', 'stopped', 'interrupted'])(
    'is possible when it is %s',
    async (status) => {
      const reply = await rig.insert({ ...ENDED, status });
      await rate(actorOf(reply.ownerId), reply.id, { rating: 'good' });
      expect(await storedFeedback(reply.id)).toEqual({ rating: 'good' });
    },
  );

  it.each(['queued', 'streaming'])('is refused while it is %s', async (status) => {
    const reply = await rig.insert({ status });
    const rating = rate(actorOf(reply.ownerId), reply.id, { rating: 'good' });
    await expect(rating).rejects.toMatchObject({ code: 'reply_in_progress' });
    expect(await storedFeedback(reply.id)).toBeNull();
  });

  it('of another user or of a deleted conversation is not found', async () => {
    const reply = await rig.insert(ENDED);
    const owner = actorOf(reply.ownerId);
    const deleted = {
      conversations: { find: async () => null, findShared: async () => null },
    };
    const ratings = [
      rate(actorOf(newId()), reply.id, { rating: 'bad' }),
      rate(owner, reply.parentId, { rating: 'bad' }),
      rate(owner, reply.id, { rating: 'bad' }, deleted),
    ];
    await expectRejections(ratings, { code: 'not_found' });
    expect(await storedFeedback(reply.id)).toBeNull();
  });

  it('is not inherited by a regenerated reply', async () => {
    const reply = await rig.insert(ENDED);
    await rate(actorOf(reply.ownerId), reply.id, { rating: 'bad' });
    const sibling = newId();
    const { _id, feedback: _rated, ...fields } = await rig.stored(reply.id);
    await rig.model.create({ ...fields, _id: sibling });
    const { reply: rated } = await rate(actorOf(reply.ownerId), reply.id, { rating: 'good' });
    expect(rated.siblingIds).toEqual([reply.id, sibling]);
    expect(await storedFeedback(sibling)).toBeNull();
  });
});

describe('ratings of several users', () => {
  /** The reply in a conversation that its owner shares with these users. */
  const sharedWith = (reply: { conversationId: string; ownerId: string }, userIds: string[]) => {
    const { conversationId: id, ownerId } = reply;
    const grants = userIds.map((userId) => ({ principal: `user:${userId}`, role: 'viewer' }));
    const findShared = async () => ({ id, ownerId, grants }) as never;
    return { conversations: { ...rig.conversations, findShared } };
  };

  it('are each user’s own: stored, answered and published to nobody else', async () => {
    const reply = await rig.insert(ENDED);
    const [owner, bob, cy] = [actorOf(reply.ownerId), actorOf(newId()), actorOf(newId())];
    const shared = sharedWith(reply, [bob.userId, cy.userId]);
    const rateShared = (by: typeof bob, body: ReplyFeedbackBody) =>
      rate(by, reply.id, body, shared);
    const heard = { owner: await rig.listen(owner.userId), cy: await rig.listen(cy.userId) };
    await rateShared(owner, { rating: 'good', reason: 'Clear' });
    await rateShared(bob, { rating: 'bad', reason: 'Not true' });
    await rateShared(bob, { rating: 'bad', reason: 'Too long' });
    const { reply: last } = await rateShared(cy, { rating: 'good' });
    expect(last.feedback).toEqual({ rating: 'good' });
    expect((await rig.replies.findById(reply.id))?.feedback).toEqual({
      [owner.userId]: { rating: 'good', reason: 'Clear' },
      [bob.userId]: { rating: 'bad', reason: 'Too long' },
      [cy.userId]: { rating: 'good' },
    });
    await expect.poll(() => heard.cy).toHaveLength(1);
    expect(heard.owner).toHaveLength(1);
    expect(JSON.stringify(heard)).not.toContain('Too long');
    await rateShared(bob, { rating: null });
    await rateShared(owner, { rating: null });
    expect((await rig.replies.findById(reply.id))?.feedback).toEqual({
      [cy.userId]: { rating: 'good' },
    });
  });

  it('are one of each user, also from two tabs at once, and the newest hundred', async () => {
    const reply = await rig.insert(ENDED);
    const bob = newId();
    await Promise.all(
      (['good', 'bad', 'good'] as const).map((rating) =>
        rig.replies.setFeedback(reply, bob, { rating }),
      ),
    );
    expect((await rig.stored(reply.id)).ratings).toHaveLength(1);
    const full = Array.from({ length: 100 }, () => ({ userId: newId(), rating: 'good' }));
    const rated = await rig.insert({ ...ENDED, ratings: full });
    await rig.replies.setFeedback(rated, bob, { rating: 'bad' });
    const { ratings = [] } = await rig.stored(rated.id);
    const ids = [...full.slice(1).map(({ userId }) => userId), bob];
    expect(ratings?.map(({ userId }) => String(userId))).toEqual(ids);
  });

  it('of a member who has become the owner stays theirs, and is one', async () => {
    const bob = newId();
    const ratings = [{ userId: bob, rating: 'bad' }];
    const inserted = await rig.insert({ ...ENDED, ownerId: bob, ratings });
    const reply = { ...inserted, ownerId: bob };
    const found = async () => (await rig.replies.findById(reply.id))?.feedback;
    expect(await found()).toEqual({ [bob]: { rating: 'bad' } });
    await rig.replies.setFeedback(reply, bob, { rating: 'good' });
    expect(await found()).toEqual({ [bob]: { rating: 'good' } });
    await rig.replies.setFeedback(reply, bob, null);
    expect(await found()).toBeUndefined();
  });
});

describe('two tabs that rate a reply at once', () => {
  it('end with the stored rating, in whichever order they publish', async () => {
    const reply = await rig.insert(ENDED);
    const actor = actorOf(reply.ownerId);
    const shown: unknown[] = [];
    const held: (() => void)[] = [];
    const record = (payload: unknown) => void shown.push((payload as Reply).feedback);
    const publishOf = (publish: (payload: unknown) => Promise<void>) => ({
      bus: {
        ...rig.bus,
        publish: (_user: string, _event: string, payload: unknown) => publish(payload),
      },
    });
    const slow = publishOf(async (payload) => {
      if (shown.length === 0) await new Promise<void>((resolve) => held.push(resolve));
      record(payload);
    });
    const quick = publishOf(async (payload) => record(payload));
    const first = rate(actor, reply.id, { rating: 'good' }, slow);
    await expect.poll(() => held.length).toBe(1);
    await rate(actor, reply.id, { rating: 'bad', reason: 'Not true' }, quick);
    held[0]?.();
    await first;
    expect(shown).toHaveLength(3);
    expect(shown.at(-1)).toEqual({ rating: 'bad', reason: 'Not true' });
    expect(await storedFeedback(reply.id)).toEqual({ rating: 'bad', reason: 'Not true' });
  });
});

describe('the body of a rating', () => {
  it.each([
    [{ rating: 'great' }],
    [{}],
    [{ rating: 'bad', reason: 'x'.repeat(1_001) }],
    [{ rating: { $ne: null } }],
    [{ rating: 'bad', reason: { $gt: '' } }],
  ])('%j is refused', (body) => {
    expect(ReplyFeedbackBody.safeParse(body).success).toBe(false);
  });
});
