import { beforeAll, expect, it } from 'vitest';
import { newId, startGeneration } from '../generation/generation.fixture.ts';
import { formerRepliesMigration } from './former-replies.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;

beforeAll(async () => {
  rig = await startGeneration();
  rig.provider.onMessage(/.*/, { content: ' and hoot.' });
});

const LONG_AGO = new Date(Date.now() - 60_000);
const used = { promptTokens: 40, completionTokens: 9 };
const objectId = (id: string) => rig.model.db.base.Types.ObjectId.createFromHexString(id);

/** A reply as the version before stored it, with the tokens that its usage held unless it was charged. */
async function plant(fields: object, { held }: { held: boolean }) {
  const reply = await rig.insert({ heartbeatAt: LONG_AGO });
  await rig.model.collection.updateOne(
    { _id: objectId(reply.id) },
    { $set: fields, $unset: { reserved: 1, ...(!('active' in fields) && { active: 1 }) } },
  );
  const holds = held ? [{ replyId: reply.id, tokens: 100 }] : [];
  await rig.model.db
    .collection<{ _id: string; ownerId: unknown; holds: object[] }>('usage')
    .insertOne({
      _id: `${newId()}:demo`,
      ownerId: objectId(reply.ownerId),
      holds,
    });
  return reply;
}

const migrate = async () => {
  // Twice, as after a crash.
  await formerRepliesMigration.run(rig.model.db);
  await formerRepliesMigration.run(rig.model.db);
};

it('a reply that ended and was not charged is charged once, one that was charged is not', async () => {
  const ended = { status: 'complete', content: 'Owls', attempt: 1, usage: used, unsettled: true };
  const open = await plant(ended, { held: true });
  const charged = await plant(ended, { held: false });
  const neverStarted = await plant(
    { ...ended, status: 'stopped', attempt: 0, usage: { promptTokens: 0, completionTokens: 0 } },
    { held: true },
  );
  await migrate();
  await rig.sweep()();
  await rig.sweep()();
  expect(rig.recorded.of(open.id)).toEqual([
    { call: 'settle', replyId: open.id, attempt: 1, ...used },
  ]);
  expect(rig.recorded.of(charged.id)).toEqual([]);
  expect(rig.recorded.of(neverStarted.id)).toMatchObject([{ call: 'release', attempt: 0 }]);
  for (const { id } of [open, charged, neverStarted]) {
    const stored = await rig.stored(id);
    expect(stored.charges ?? []).toEqual([]);
    expect(stored).not.toHaveProperty('unsettled');
  }
});

it('a reply that was to be continued is enqueued again, continues its text and is charged for the rest', async () => {
  const content = 'Owls see in the dark';
  const fields = { status: 'queued', active: true, attempt: 1, content, keepText: true };
  const reply = await plant(fields, { held: true });
  await migrate();
  // The queue of the version before had other keys in Redis: its job is not there.
  const { jobId } = await rig.stored(reply.id);
  expect(await rig.producer.canRun(jobId ?? '')).toBe(false);
  await rig.sweep()();
  expect(await rig.producer.canRun(jobId ?? '')).toBe(true);
  await rig.runner().run({ replyId: reply.id, conversationId: reply.conversationId });
  expect(await rig.stored(reply.id)).toMatchObject({
    status: 'complete',
    content: `${content} and hoot.`,
    attempt: 2,
  });
  expect(rig.recorded.of(reply.id).map(({ call, attempt }) => [call, attempt])).toEqual([
    ['reserve', 2],
    ['settle', 2],
  ]);
});

it('a reply that was to be stopped ends as stopped with its text', async () => {
  const content = 'Owls see';
  const fields = { status: 'streaming', active: true, attempt: 1, content, stopRequested: true };
  const reply = await plant(fields, { held: true });
  await migrate();
  await rig.sweep()();
  await rig.runner().run({ replyId: reply.id, conversationId: reply.conversationId });
  expect(await rig.stored(reply.id)).toMatchObject({ status: 'stopped', content });
  expect(rig.recorded.of(reply.id)).toMatchObject([{ call: 'settle', attempt: 1 }]);
});
