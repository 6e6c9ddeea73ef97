import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createConversationDeletionStore } from '../src/features/chat/conversations/deletion-model.ts';
import { sentMessageIds } from '../src/features/chat/messages/index.ts';
import { actorOf, type Chat, newId, openChat } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

/** The filters of the message queries that `work` sends. */
async function filtersOf(work: () => Promise<unknown>) {
  const spies = [vi.spyOn(chat.model, 'find'), vi.spyOn(chat.model, 'findOne')];
  await work();
  const filters = spies.flatMap((spy) => spy.mock.calls.map(([filter]) => filter as object));
  for (const spy of spies) spy.mockRestore();
  return filters;
}

it('every query for a page names the conversation, at any place of the page', async () => {
  const talk = await chat.start();
  const page = { conversationId: talk.id, limit: 2 };
  await talk.say('One');
  const two = await talk.say('Two');
  await talk.regenerate(two.reply.id);
  await talk.regenerate(two.reply.id);
  const among = await filtersOf(() => chat.pages.list(talk.actor, page));
  await talk.say('Elsewhere', null);
  const outside = await filtersOf(() => chat.pages.list(talk.actor, page));
  // Level by level: the deepest messages are not enough.
  expect([among.length, outside.length]).toEqual([3, 4]);
  for (const filter of [...among, ...outside])
    expect(filter).toMatchObject({ conversationId: talk.id });
});

it('every other query for messages names conversation and owner', async () => {
  const talk = await chat.start();
  const { messages } = chat.deps;
  const { message, reply } = await talk.say('One');
  const scope = { conversationId: talk.id, ownerId: talk.actor.userId };
  const record = await messages.find(message.id, scope);
  if (!record) throw new Error('The message is not stored.');
  const filters = await filtersOf(async () => {
    await messages.find(reply.id, scope);
    await messages.children(scope, { parentId: null, depth: 0 });
    await messages.newestLeafBelow(record);
    await messages.activeReplyId(scope);
  });
  expect(filters).toHaveLength(4);
  for (const filter of filters) expect(filter).toMatchObject(scope);
  expect(await messages.findReply(message.id)).toBeNull();
});

it('the tree of one conversation does not reach into another of the same user', async () => {
  const actor = actorOf(newId());
  const [one, other] = [await chat.start(actor), await chat.start(actor)];
  await one.send('One');
  const sent = await other.say('Other');
  const { messages } = chat.deps;
  const scope = { conversationId: other.id, ownerId: actor.userId };
  expect(await messages.activeReplyId(scope)).toBeNull();
  const firsts = await messages.children(scope, { parentId: null, depth: 0 });
  expect(firsts.map(({ id }) => id)).toEqual([sent.message.id]);
});

it('a send is found in its own conversation only', async () => {
  const talk = await chat.start();
  const key = randomUUID();
  await talk.send('One', { key });
  const scope = { conversationId: talk.id, ownerId: talk.actor.userId };
  const find = async (changes: Partial<typeof scope>) =>
    (await chat.deps.sentMessages.find(sentMessageIds(talk.id, key), { ...scope, ...changes }))
      .sent;
  expect(await find({})).not.toBeNull();
  expect(await find({ conversationId: newId() })).toBeNull();
});

it("a user's removal removes nothing of others", async () => {
  const [gone, stays] = [await chat.start(), await chat.start()];
  for (const talk of [gone, stays]) await talk.say('One');
  const { conversations, messages } = chat.deps;
  for (const store of [messages, conversations]) await store.removeAllOf(gone.actor.userId);
  expect(await chat.model.countDocuments({ conversationId: gone.id })).toBe(0);
  expect(await chat.model.countDocuments({ conversationId: stays.id })).toBe(2);
  expect(await conversations.find({ id: gone.id, ownerId: gone.actor.userId })).toBeNull();
  expect(await conversations.find({ id: stays.id, ownerId: stays.actor.userId })).not.toBeNull();
});

it('a conversation is changed for its owner only', async () => {
  const talk = await chat.start();
  const { conversations } = chat.deps;
  const { id } = talk;
  const stranger = newId();
  expect(await conversations.change({ id, ownerId: stranger }, { title: 'Mine' })).toBeNull();
  const move = { id, from: null, to: newId() };
  expect(await conversations.moveLeaf({ ...move, ownerId: stranger })).toBeNull();
  expect(await conversations.moveLeaf({ ...move, ownerId: talk.actor.userId })).not.toBeNull();
});

describe('a deleted conversation', () => {
  const DELETED_AT = new Date('2026-03-10T09:00:00Z');
  const LATER = new Date('2026-03-10T09:00:01Z');

  const startDeleted = async () => {
    const talk = await chat.start();
    const key = { id: talk.id, ownerId: talk.actor.userId };
    const deletions = createConversationDeletionStore(chat.conversationModel);
    expect(await deletions.markDeleted(key, DELETED_AT)).toMatchObject(key);
    return { key, deletions, stranger: { ...key, ownerId: newId() } };
  };
  const deletedAt = async (id: string) =>
    (await chat.conversationModel.findById(id).lean())?.deletedAt ?? null;

  it('is not found, listed or changed', async () => {
    const { key } = await startDeleted();
    const { conversations } = chat.deps;
    expect(await conversations.find(key)).toBeNull();
    expect(await conversations.page(key, { limit: 10 })).toEqual([]);
    expect(await conversations.change(key, { title: 'Late' })).toBeNull();
    expect((await chat.conversationModel.findById(key.id).lean())?.title).not.toBe('Late');
  });

  it('is deleted and restored by its owner only', async () => {
    const { key, deletions, stranger } = await startDeleted();
    expect(await deletions.restore(stranger, { since: DELETED_AT })).toBeNull();
    expect(await deletedAt(key.id)).toEqual(DELETED_AT);
    expect(await deletions.restore(key, { since: DELETED_AT })).toMatchObject(key);
    expect(await deletions.markDeleted(stranger, LATER)).toBeNull();
    expect(await deletedAt(key.id)).toBeNull();
  });

  it('is deleted once, and restored during the time for that', async () => {
    const { key, deletions } = await startDeleted();
    expect(await deletions.markDeleted(key, LATER)).toBeNull();
    expect(await deletedAt(key.id)).toEqual(DELETED_AT);
    expect(await deletions.restore(key, { since: LATER })).toBeNull();
    expect(await deletedAt(key.id)).toEqual(DELETED_AT);
  });

  it('is erased when the time to restore it is over', async () => {
    const { key, deletions } = await startDeleted();
    const idsOf = async (before: Date) =>
      (await deletions.deleted({ before, now: LATER, limit: 1_000 })).map(({ id }) => id);
    expect(await idsOf(LATER)).toContain(key.id);
    expect(await idsOf(DELETED_AT)).not.toContain(key.id);
  });
});

it('the id of a conversation of another user is not returned', async () => {
  const fields = { title: 'A talk', clientConversationId: randomUUID(), now: new Date() };
  const ownerId = newId();
  const { id } = await chat.deps.conversations.insert({ ...fields, ownerId });
  await chat.conversationModel.updateOne({ _id: id }, { $set: { ownerId: newId() } });
  await expect(chat.deps.conversations.insert({ ...fields, ownerId })).rejects.toThrow('E11000');
});

it('the active leaf is replaced only when it is the expected one, and the list keeps its order', async () => {
  const talk = await chat.start();
  const { conversations } = chat.deps;
  const scope = { id: talk.id, ownerId: talk.actor.userId };
  const [first, second] = [newId(), newId()];
  const before = await conversations.find(scope);
  const at = new Date(0);
  const moved = await conversations.moveLeaf({ ...scope, from: null, to: first, at });
  expect(moved).toMatchObject({ activeLeafId: first, updatedAt: before?.updatedAt });
  expect(await conversations.moveLeaf({ ...scope, from: null, to: second })).toBeNull();
  expect((await conversations.find(scope))?.activeLeafId).toBe(first);
});

it('the database refuses a second message of one send, and a second active reply', async () => {
  const scope = { conversationId: newId(), ownerId: newId(), createdAt: new Date() };
  const sent = { ...scope, role: 'user', clientMessageId: randomUUID() } as const;
  await chat.model.create(sent);
  await expect(chat.model.create(sent)).rejects.toThrow('E11000');
  const reply = { ...scope, role: 'assistant', active: true } as const;
  await chat.model.create(reply);
  await expect(chat.model.create(reply)).rejects.toThrow('E11000');
  await chat.model.create({ ...scope, role: 'assistant' });
});
