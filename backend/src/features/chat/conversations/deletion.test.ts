import { beforeAll, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../../test/core.ts';
import { deleteExpired, ERASE_AFTER_MS, eraseDeleted } from './deletion.ts';
import type { defineConversationModel } from './model.ts';

const HOUR_MS = 3_600_000;

let core: TestCore;
let model: ReturnType<typeof defineConversationModel>;
beforeAll(async () => {
  core = await testCore();
  model = core.connection.models.Conversation as never;
});

it('a temporary conversation is erased 24 hours after its creation, and no other one', async () => {
  const { chat } = core.services;
  const { conversations: store, deletions } = chat;
  const ada = await aUser(core);
  const created = new Date('2026-11-22T10:00:00Z');
  const insert = (title: string, temporary: boolean, at = created) =>
    aConversation(core, ada, { title, temporary, at });
  const temporary = await insert('temporary', true);
  const later = await insert('later', true, new Date(created.getTime() + HOUR_MS));
  const usual = await insert('usual', false);
  let now = new Date(created.getTime() + 24 * HOUR_MS - 1);
  const stopped: string[] = [];
  const published: unknown[] = [];
  const expire = () =>
    deleteExpired({
      deletions,
      stopReplies: async ({ conversationId }) => void stopped.push(conversationId),
      bus: {
        ...core.bus,
        publish: async (_userId, event, payload) => void published.push([event, payload]),
      },
      now: () => now,
    });
  await expire();
  expect(await store.find(temporary)).not.toBeNull();

  now = new Date(created.getTime() + 24 * HOUR_MS + 1);
  await expire();
  await expire();
  expect(stopped).toEqual([temporary.id]);
  expect(published).toEqual([['conversation:deleted', { id: temporary.id }]]);
  expect(
    await deletions.restore(temporary, { since: new Date(now.getTime() - 30_000) }),
  ).toBeNull();
  const removed: string[] = [];
  const erase = () =>
    eraseDeleted({
      ...chat,
      removeMessages: async ({ conversationId }) => removed.push(conversationId) > 0,
      now: () => now,
    });
  // A process that read the conversation before its deletion may still write.
  await erase();
  expect(removed).toEqual([]);
  now = new Date(now.getTime() + ERASE_AFTER_MS + 1);
  await erase();
  expect(removed).toEqual([temporary.id]);
  const left = await model.find({ ownerId: ada.userId }, { _id: 1 }).lean();
  expect(left.map(({ _id }) => String(_id)).toSorted()).toEqual([later.id, usual.id].toSorted());
});

it('a temporary conversation whose reply cannot be stopped does not block others', async () => {
  const now = new Date('2026-11-24T10:00:00Z');
  const at = new Date(now.getTime() - 25 * HOUR_MS);
  const ada = await aUser(core, { guest: true });
  const ids: string[] = [];
  for (const title of ['one', 'two', 'three'])
    ids.push((await aConversation(core, ada, { title, temporary: true, at })).id);
  const stopped: string[] = [];
  const expire = () =>
    deleteExpired({
      ...core.services.chat,
      stopReplies: async ({ conversationId }) => {
        if (conversationId === ids[0]) throw new Error('Redis is unreachable.');
        stopped.push(conversationId);
      },
      bus: { ...core.bus, publish: async () => undefined },
      now: () => now,
    });
  await expect(expire()).rejects.toThrow(AggregateError);
  expect(stopped.filter((id) => ids.includes(id))).toEqual(ids.slice(1));
});
