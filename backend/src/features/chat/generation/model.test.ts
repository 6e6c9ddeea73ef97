import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/chat.ts';
import { LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { ownPayer } from '../../payer.ts';
import { DEFAULT_SETTINGS, deltasFrom } from '../messages/index.ts';
import type { ReplyEnd } from './reply-record.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration();
});

const NOW = new Date();
const STREAMING = { status: 'streaming', attempt: 3 };
const ENDED = { status: 'stopped', active: undefined, attempt: 3, content: 'Owls' };
const PARTS = [{ type: 'text' as const, text: 'Owls hoot.' }];
const REASONED = [{ type: 'reasoning' as const, text: 'Hm' }, ...PARTS];

const endOf = (attempt: number, fields: Partial<ReplyEnd> = {}): ReplyEnd => ({
  status: 'complete',
  parts: PARTS,
  charge: { attempt, promptTokens: 5, completionTokens: 2 },
  ...fields,
});

describe('starting an attempt', () => {
  it('raises the attempt of a queued reply', async () => {
    const sent = { promptTokens: 5 };
    const { id, conversationId } = await rig.insert({
      lostAttempts: 2,
      attempt: 1,
      lane: 'pro',
      sent,
    });
    expect(await rig.replies.startAttempt({ id, conversationId }, NOW)).toMatchObject({
      attempt: 2,
      status: 'streaming',
      lostAttempts: 0,
      reserved: { promptTokens: 7, replyTokens: 500 },
    });
    const stored = await rig.stored(id);
    expect([stored.lane, stored.sent]).toEqual([undefined, undefined]);
    expect(await rig.replies.startAttempt({ id, conversationId }, NOW)).toBeNull();
  });

  it('does not change a reply that has ended', async () => {
    const { id, conversationId } = await rig.insert({ active: undefined });
    expect(await rig.replies.startAttempt({ id, conversationId }, NOW)).toBeNull();
  });
});

describe('taking over', () => {
  const cutoffs = { now: NOW, staleBefore: new Date(NOW.getTime() - 5_000) };

  it('needs an expired heartbeat', async () => {
    const { id, conversationId } = await rig.insert({ ...STREAMING, heartbeatAt: NOW });
    expect(await rig.replies.takeOver({ id, conversationId }, cutoffs)).toBeNull();
    const stale = await rig.insert({ ...STREAMING, heartbeatAt: LONG_AGO });
    expect(await rig.replies.takeOver(stale, cutoffs)).toMatchObject({
      attempt: 4,
      takeovers: 1,
      lostAttempts: 1,
    });
    // The new worker's heartbeat counts from the takeover.
    expect(await rig.replies.takeOver(stale, cutoffs)).toBeNull();
  });

  it.each([
    ['queued', { status: 'queued' }],
    ['ended', { status: 'streaming', active: undefined }],
  ])('leaves a reply unchanged that is %s', async (_, fields) => {
    const { id, conversationId } = await rig.insert({ ...fields, heartbeatAt: LONG_AGO });
    expect(await rig.replies.takeOver({ id, conversationId }, cutoffs)).toBeNull();
  });
});

describe('a checkpoint', () => {
  it('adds text, stores the heartbeat, and answers whether a stop was requested', async () => {
    const { id, conversationId } = await rig.insert({
      ...STREAMING,
      heartbeatAt: LONG_AGO,
      stopRequested: true,
    });
    const checkpoint = { id, conversationId, attempt: 3, now: NOW };
    const [reasoning, text] = deltasFrom(REASONED, 0);
    if (!reasoning || !text) throw new Error('Both parts have a delta.');
    expect(await rig.replies.checkpoint({ ...checkpoint, deltas: [reasoning] })).toEqual({
      stopRequested: true,
    });
    expect(await rig.stored(id)).toMatchObject({ heartbeatAt: NOW });
    const key = { id, conversationId };
    expect(await rig.replies.find(key)).toMatchObject({ content: '', parts: REASONED.slice(0, 1) });
    await rig.replies.checkpoint({ ...checkpoint, sent: { promptTokens: 5 } });
    // The answer to the first one was lost.
    for (const deltas of [[text], [reasoning, text]])
      await rig.replies.checkpoint({ ...checkpoint, deltas });
    expect(await rig.replies.find(key)).toMatchObject({
      content: 'Owls hoot.',
      parts: REASONED,
      sent: { promptTokens: 5 },
    });
  });

  it.each(['requeue', 'continueLost'] as const)('is replaced by the text of %s', async (by) => {
    const { id, conversationId } = await rig.insert(STREAMING);
    const key = { id, conversationId, attempt: 3 };
    await rig.replies.checkpoint({ ...key, deltas: deltasFrom(REASONED, 0), now: NOW });
    const charge = { attempt: 3, promptTokens: 1, completionTokens: 1 };
    await rig.replies[by]({ ...key, jobId: 'next', parts: PARTS, charge, now: NOW });
    expect(await rig.replies.find(key)).toMatchObject({ content: 'Owls hoot.', parts: PARTS });
  });

  it.each([
    ['another attempt', STREAMING, 2],
    ['a queued reply', { ...STREAMING, status: 'queued' }, 3],
    ['an ended reply', { ...STREAMING, active: undefined }, 3],
  ])('changes nothing of %s', async (_, fields, attempt) => {
    const { id, conversationId } = await rig.insert({ ...fields, heartbeatAt: LONG_AGO });
    const stored = await rig.replies.checkpoint({
      id,
      conversationId,
      attempt,
      deltas: deltasFrom(PARTS, 0),
      now: NOW,
    });
    expect(stored).toBeNull();
    expect(await rig.stored(id)).toMatchObject({ content: '', heartbeatAt: LONG_AGO });
  });
});

describe('the heartbeats of several replies', () => {
  const beatsOf = async (others: object, attempt = 3) => {
    const replies = [
      await rig.insert({ ...STREAMING, heartbeatAt: LONG_AGO }),
      await rig.insert({ ...STREAMING, heartbeatAt: LONG_AGO, ...others }),
    ];
    const keys = replies.map(({ id, conversationId }) => ({ id, conversationId }));
    const [one, other] = keys.map((key) => ({ ...key, attempt: 3, now: NOW }));
    if (!one || !other) throw new Error('There are two.');
    const sent = { promptTokens: 5 };
    const goOn = await rig.replies.beatAll([
      { ...one, sent, deltas: deltasFrom(PARTS, 0) },
      { ...other, attempt },
    ]);
    return { goOn, stored: await Promise.all(keys.map(({ id }) => rig.stored(id))) };
  };

  it('are stored with the text and the tokens of each', async () => {
    const { goOn, stored } = await beatsOf({});
    expect(goOn).toBe(true);
    expect(stored).toMatchObject([
      { heartbeatAt: NOW, sent: { promptTokens: 5 }, deltas: [{ offset: 0, delta: 'Owls hoot.' }] },
      { heartbeatAt: NOW },
    ]);
    expect(stored[1]?.sent?.promptTokens).toBeUndefined();
  });

  it.each([
    ['is to be stopped', { stopRequested: true }, 3],
    ['has a later attempt', {}, 2],
    ['waits', { status: 'queued' }, 3],
    ['has ended', { active: undefined }, 3],
  ])('do not say that all go on when one %s', async (_, others, attempt) => {
    const { goOn, stored } = await beatsOf(others, attempt);
    expect(goOn).toBe(false);
    expect(stored).toMatchObject([{ heartbeatAt: NOW }, { heartbeatAt: LONG_AGO }]);
  });
});

describe('beginning to stream', () => {
  it('stores the reservation of the attempt', async () => {
    const lost = { lostAttempts: 1, sent: { promptTokens: 5 }, reserved: undefined };
    const { id, conversationId } = await rig.insert({ ...STREAMING, ...lost });
    const reserved = { promptTokens: 9, replyTokens: 90 };
    expect(await rig.replies.beginStream({ id, conversationId, attempt: 3, reserved })).toBe(true);
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({ reserved });
    expect([stored.lostAttempts, stored.sent]).toEqual([undefined, undefined]);
  });

  it.each([
    ['another attempt', STREAMING, 2],
    ['a queued reply', { ...STREAMING, status: 'queued' }, 3],
    ['an ended reply', { ...STREAMING, active: undefined }, 3],
  ])('changes nothing of %s', async (_, fields, attempt) => {
    const { id, conversationId } = await rig.insert({ ...fields, lostAttempts: 1 });
    const reserved = { promptTokens: 9, replyTokens: 90 };
    expect(await rig.replies.beginStream({ id, conversationId, attempt, reserved })).toBe(false);
    expect((await rig.stored(id)).lostAttempts).toBe(1);
  });
});

describe('finishing', () => {
  it('stores the whole text, the length of the path, and what is to be charged', async () => {
    const { id, conversationId } = await rig.insert({
      ...STREAMING,
      deltas: deltasFrom(PARTS, 0),
      outbox: { content: 'x' },
      sweptAt: NOW,
    });
    const end = endOf(3, { parts: REASONED });
    const finished = {
      id,
      conversationId,
      attempt: 3,
      from: 'streaming' as const,
      end,
      pathLength: 15,
      now: NOW,
    };
    expect(await rig.replies.finish(finished)).toBe(true);
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({
      status: 'complete',
      content: 'Owls hoot.',
      parts: REASONED,
      pathLength: 15,
      usage: { promptTokens: 5, completionTokens: 2 },
      charges: [{ attempt: 3, promptTokens: 5, completionTokens: 2, at: NOW }],
    });
    for (const field of ['active', 'deltas', 'reserved', 'outbox', 'sweptAt', 'error'] as const)
      expect([field, stored[field]]).toEqual([field, undefined]);
  });

  it('recognises its own end when only the answer was lost', async () => {
    const { id, conversationId } = await rig.insert(STREAMING);
    const finished = {
      id,
      conversationId,
      attempt: 3,
      from: 'streaming' as const,
      end: endOf(3),
      now: NOW,
    };
    expect(await rig.replies.finish(finished)).toBe(true);
    expect(await rig.replies.finish(finished)).toBe(true);
    expect((await rig.stored(id)).charges).toHaveLength(1);
  });

  it('does not end a reply again that was queued to continue meanwhile', async () => {
    const { id, conversationId, ownerId } = await rig.insert(STREAMING);
    const end = endOf(3, { status: 'stopped' });
    const finished = { id, conversationId, attempt: 3, from: 'streaming' as const, end, now: NOW };
    await rig.replies.finish(finished);
    const reserved = { promptTokens: 9, replyTokens: 90 };
    const lane = 'pro' as const;
    const queued = {
      id,
      ownerId,
      conversationId,
      attempt: 3,
      jobId: 'x',
      keptLength: 10,
      reserved,
      payer: ownPayer(ownerId),
      isOtherPayer: false,
      lane,
      settings: DEFAULT_SETTINGS,
      now: NOW,
    };
    expect(await rig.replies.requeueToContinue(queued)).toMatchObject({ status: 'queued' });
    expect(await rig.replies.finish(finished)).toBe(false);
    expect((await rig.stored(id)).status).toBe('queued');
  });

  it.each([
    ['another attempt', STREAMING, 2],
    ['a reply that was released', { ...STREAMING, status: 'queued' }, 3],
    ['a reply that ended otherwise', { ...STREAMING, status: 'failed', active: undefined }, 3],
    ['a reply that is active no more', { ...STREAMING, active: undefined }, 3],
    [
      'a reply that a later attempt ended alike',
      { ...STREAMING, status: 'complete', active: undefined },
      2,
    ],
  ])('changes nothing of %s', async (_, fields, attempt) => {
    const { id, conversationId } = await rig.insert(fields);
    const finished = {
      id,
      conversationId,
      attempt,
      from: 'streaming' as const,
      end: endOf(attempt),
      now: NOW,
    };
    expect(await rig.replies.finish(finished)).toBe(false);
    expect(await rig.stored(id)).toMatchObject({ content: '', attempt: 3 });
  });

  it('of a queued reply uses up the next attempt', async () => {
    const { id, conversationId } = await rig.insert({ attempt: 3 });
    const end = endOf(4, { status: 'stopped', parts: [] });
    const finished = { id, conversationId, attempt: 4, from: 'queued' as const, end, now: NOW };
    expect(await rig.replies.finish(finished)).toBe(true);
    expect(await rig.stored(id)).toMatchObject({ status: 'stopped', attempt: 4 });
  });
});

describe('giving an attempt back to the queue', () => {
  const parts = [{ type: 'text' as const, text: 'Owls' }];
  const charge = { attempt: 3, promptTokens: 5, completionTokens: 1 };
  const left = { attempt: 3, parts, charge, now: NOW };
  const released = { ...left, jobId: 'next', isLost: true };

  it('keeps its text for the next one, stores its charge and ends its reservation', async () => {
    const { id, conversationId } = await rig.insert(STREAMING);
    expect(await rig.replies.requeue({ id, conversationId, ...released })).toBe(true);
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({
      status: 'queued',
      jobId: 'next',
      attempt: 3,
      content: 'Owls',
      keptLength: 4,
      takeovers: 1,
    });
    expect(stored.reserved).toBeUndefined();
    expect(stored.charges).toMatchObject([charge]);
  });

  it('as one that continues a lost one, does the same, and the reply still streams', async () => {
    const { id, conversationId } = await rig.insert({
      ...STREAMING,
      lostAttempts: 1,
      takeovers: 1,
    });
    expect(await rig.replies.continueLost({ id, conversationId, ...left })).toMatchObject({
      keptLength: 4,
    });
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({
      status: 'streaming',
      attempt: 3,
      content: 'Owls',
      takeovers: 1,
    });
    expect([stored.reserved, stored.lostAttempts]).toEqual([undefined, undefined]);
    expect(stored.charges).toMatchObject([charge]);
    expect(await rig.replies.continueLost({ id, conversationId, ...left, attempt: 2 })).toBeNull();
  });

  it.each([
    ['another attempt', { ...STREAMING, attempt: 4 }],
    ['a queued reply', { ...STREAMING, status: 'queued' }],
    ['an ended reply', { ...STREAMING, active: undefined }],
  ])('changes nothing of %s', async (_, fields) => {
    const { id, conversationId } = await rig.insert(fields);
    expect(await rig.replies.requeue({ id, conversationId, ...released })).toBe(false);
    expect((await rig.stored(id)).jobId).not.toBe('next');
  });
});

describe('the end of an attempt', () => {
  it('stores the post-steps that follow in the same update', async () => {
    const { id, conversationId } = await rig.insert(STREAMING);
    const finish = {
      id,
      conversationId,
      attempt: 3,
      from: 'streaming' as const,
      end: endOf(3),
      now: NOW,
    };
    await rig.replies.finish({ ...finish, postSteps: ['memory', 'check'] });
    const sweepAt = new Date(NOW.getTime() + 10_000);
    expect((await rig.stored(id)).postSteps).toEqual([
      { name: 'memory', tries: 0, sweepAt },
      { name: 'check', tries: 0, sweepAt },
    ]);
  });
});

describe('settling', () => {
  it('takes one attempt off the list and keeps the others', async () => {
    const charge = { promptTokens: 1, completionTokens: 1, at: LONG_AGO };
    const charges = [
      { attempt: 3, ...charge },
      { attempt: 4, ...charge },
    ];
    const { id, conversationId } = await rig.insert({ ...ENDED, charges });
    await rig.replies.markSettled({ id, conversationId, attempt: 3 });
    expect((await rig.stored(id)).charges).toMatchObject([{ attempt: 4 }]);
  });
});

it('charges are returned to the sweeper only once they have been open for a while', async () => {
  const used = { promptTokens: 5, cachedTokens: 4, completionTokens: 2, reasoningTokens: 1 };
  const charge = { attempt: 3, model: 'exact', ...used };
  const late = await rig.insert({ ...ENDED, charges: [{ ...charge, at: LONG_AGO }] });
  const fresh = await rig.insert({ ...ENDED, charges: [{ ...charge, at: NOW }] });
  const before = new Date(NOW.getTime() - 5_000);
  const open = await rig.replies.openCharges({ before, limit: 100 });
  expect(open).toContainEqual({
    ...charge,
    replyId: late.id,
    conversationId: late.conversationId,
    payer: ownPayer(late.ownerId),
  });
  expect(open.map(({ replyId }) => replyId)).not.toContain(fresh.id);
});

describe('what an owner asks for', () => {
  const queued = {
    settings: DEFAULT_SETTINGS,
    lane: 'pro' as const,
    attempt: 3,
    jobId: 'next',
    keptLength: 4,
    reserved: { promptTokens: 9, replyTokens: 90 },
    payer: ownPayer(newId()),
    isOtherPayer: false,
    now: NOW,
  };

  it('stops only an active reply of the owner', async () => {
    const { id, conversationId, ownerId } = await rig.insert(STREAMING);
    expect(await rig.replies.requestStop({ id, conversationId }, newId())).toBeNull();
    expect((await rig.stored(id)).stopRequested).toBeUndefined();
    const stoppedBy = newId();
    expect(await rig.replies.requestStop({ id, conversationId }, ownerId, stoppedBy)).toMatchObject(
      {
        stopRequested: true,
        stoppedBy,
      },
    );
    const ended = await rig.insert(ENDED);
    expect(await rig.replies.requestStop(ended, ended.ownerId)).toBeNull();
  });

  it('continues an own reply that ended early and has text', async () => {
    const ended = { ...ENDED, takeovers: 2, stopRequested: true, stoppedBy: newId() };
    const { id, conversationId, ownerId } = await rig.insert(ended);
    expect(
      await rig.replies.requeueToContinue({ id, conversationId, ownerId: newId(), ...queued }),
    ).toBeNull();
    expect(
      await rig.replies.requeueToContinue({ id, conversationId, ownerId, ...queued }),
    ).toMatchObject({
      status: 'queued',
      content: 'Owls',
      keptLength: 4,
      takeovers: 0,
      stopRequested: false,
      reserved: queued.reserved,
      lane: 'pro',
    });
  });

  it('stores another payer, once the former one is charged', async () => {
    const charge = { attempt: 3, promptTokens: 5, completionTokens: 2, at: NOW };
    const { id, conversationId, ownerId } = await rig.insert({ ...ENDED, charges: [charge] });
    const payer = { ownerId: newId(), userId: ownerId, workspaceId: newId() };
    const key = { id, conversationId, ownerId };
    const asked = { ...key, ...queued, payer, isOtherPayer: true };
    expect(await rig.replies.requeueToContinue(asked)).toBeNull();
    await rig.replies.markSettled({ ...key, attempt: 3 });
    expect(await rig.replies.requeueToContinue(asked)).toMatchObject({ payer });
  });

  it('continues a complete reply that reached its length limit', async () => {
    const { id, conversationId, ownerId } = await rig.insert({
      ...ENDED,
      status: 'complete',
      ending: 'length',
    });
    const again = await rig.replies.requeueToContinue({ id, conversationId, ownerId, ...queued });
    expect(again).toMatchObject({ status: 'queued', content: 'Owls' });
    expect(again).not.toHaveProperty('ending');
  });

  it.each([
    ['complete', { ...ENDED, status: 'complete' }],
    ['active', { ...STREAMING, content: 'Owls' }],
    ['of another attempt', { ...ENDED, attempt: 4 }],
    ['without text', { ...ENDED, content: '' }],
  ])('does not continue a reply that is %s', async (_, fields) => {
    const { id, conversationId, ownerId } = await rig.insert(fields);
    expect(
      await rig.replies.requeueToContinue({ id, conversationId, ownerId, ...queued }),
    ).toBeNull();
  });

  it('lists only replies of the owner', async () => {
    const { id, ownerId } = await rig.insert();
    const ended = await rig.insert({ ...ENDED, ownerId });
    const charge = { attempt: 3, promptTokens: 1, completionTokens: 2, at: NOW };
    const uncharged = await rig.insert({ ...ENDED, ownerId, charges: [charge] });
    await rig.insert();
    const idsOf = async (open: boolean) =>
      (await rig.replies.keysOf(ownerId, { open })).map((key) => key.id).toSorted();
    expect(await idsOf(true)).toEqual([id, uncharged.id].toSorted());
    expect(await idsOf(false)).toEqual([id, ended.id, uncharged.id].toSorted());
    expect(await rig.replies.findOwn(id, newId())).toBeNull();
    expect(await rig.replies.findOwn(id, ownerId)).toMatchObject({ id });
  });

  it('finds replies and no messages of users', async () => {
    const { id, conversationId, ownerId, parentId } = await rig.insert();
    expect(await rig.replies.find({ id, conversationId })).toMatchObject({ id });
    expect(await rig.replies.find({ id: parentId, conversationId })).toBeNull();
    expect(await rig.replies.findOwn(parentId, ownerId)).toBeNull();
  });
});

it('those of given replies that are active are found', async () => {
  const [streaming, other] = [await rig.insert(STREAMING), await rig.insert()];
  const ended = await rig.insert(ENDED);
  const find = rig.replies.activeAmong;
  expect([...(await find([streaming.id, ended.id]))]).toEqual([streaming.id]);
  expect([...(await find([other.id]))]).toEqual([other.id]);
});

describe('sweeping', () => {
  const cutoffs = {
    staleBefore: new Date(NOW.getTime() - 5_000),
    sweptBefore: new Date(NOW.getTime() - 5_000),
  };
  const find = async () =>
    (await rig.replies.findStale({ ...cutoffs, limit: 1_000 })).map(({ id }) => id);

  it('gives each stale reply to one sweeper, and again later', async () => {
    const { id, conversationId } = await rig.insert({ heartbeatAt: LONG_AGO });
    const lease = () => rig.replies.leaseStale({ id, conversationId, now: NOW, ...cutoffs });
    expect(await find()).toContain(id);
    expect((await Promise.all([lease(), lease(), lease()])).filter(Boolean)).toHaveLength(1);
    expect(await find()).not.toContain(id);
    await rig.model.updateOne({ _id: id }, { sweptAt: LONG_AGO });
    expect(await find()).toContain(id);
    expect((await lease())?.heartbeatAt).toEqual(LONG_AGO);
  });

  it.each([
    ['has a heartbeat', { heartbeatAt: NOW }],
    ['has ended', { heartbeatAt: LONG_AGO, active: undefined }],
  ])('leaves a reply unchanged that %s', async (_, fields) => {
    const { id, conversationId } = await rig.insert(fields);
    expect(await find()).not.toContain(id);
    expect(await rig.replies.leaseStale({ id, conversationId, now: NOW, ...cutoffs })).toBeNull();
  });
});
