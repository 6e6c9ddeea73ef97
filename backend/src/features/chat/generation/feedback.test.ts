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
    expect(await rig.replies.setFeedback(reply, newId(), { rating: 'bad' })).toBeNull();
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
