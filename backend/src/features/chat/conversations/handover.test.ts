import { Types } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../../test/core.ts';
import type { Actor } from '../../../access/index.ts';
import { openFile } from '../../files/library/open.ts';
import { createWorkspace } from '../../workspaces/workspaces.ts';
import { completeSend, regenerateReply } from '../messages/index.ts';
import { payerOf } from '../payer.ts';
import { createIndexer, searchMessages } from '../search/index.ts';
import { deleteConversation, restoreConversation } from './deletion.ts';
import { beginHandover, completeHandovers, handOver } from './handover.ts';
import { listConversations } from './list.ts';
import { openConversation } from './open.ts';

let core: TestCore;
let chat: TestCore['services']['chat'];
let ada: Actor;
let grace: Actor;
let workspaceId: string;
let id: string;
let messageId: string;
let replyId: string;
let fileId: string;

const oid = (hex: string) => Types.ObjectId.createFromHexString(hex);
const newId = () => new Types.ObjectId().toHexString();
const collection = (name: string) => core.connection.collection(name);

beforeAll(async () => {
  core = await testCore();
  chat = core.services.chat;
});

/** Ada owns a workspace; Grace shares a conversation with it, with a message that names a file, and keeps another one. */
beforeEach(async () => {
  ada = await aUser(core, { plan: 'pro' });
  grace = await aUser(core, { plan: 'starter' });
  const { workspaces } = core.services;
  workspaceId = (await createWorkspace(workspaces, ada, { name: 'Owls' })).id;
  await workspaces.memberships.insert({
    workspaceId,
    userId: grace.userId,
    role: 'member',
    joinedAt: core.now(),
  });
  await aConversation(core, grace, { title: 'Private' });
  const conversation = await aConversation(core, grace, { title: 'Shared' });
  id = conversation.id;
  await chat.conversations.replaceGrants(conversation, {
    from: [],
    to: [
      { principal: `workspace:${workspaceId}`, role: 'viewer' },
      { principal: `user:${ada.userId}`, role: 'editor' },
    ],
  });
  await insertMessages();
});

async function insertMessages({ active = false } = {}) {
  [messageId, replyId, fileId] = [newId(), newId(), newId()];
  const common = { conversationId: oid(id), ownerId: oid(grace.userId), createdAt: core.now() };
  await collection('messages').deleteMany({ conversationId: oid(id) });
  await collection('messages').insertMany([
    {
      ...common,
      _id: oid(messageId),
      role: 'user',
      content: 'Where do tawny owls nest?',
      depth: 0,
      unindexed: 0,
      metadata: { files: [{ id: fileId, name: 'owls.txt' }] },
    },
    {
      ...common,
      _id: oid(replyId),
      role: 'assistant',
      parentId: oid(messageId),
      depth: 1,
      content: 'In hollows.',
      status: active ? 'streaming' : 'complete',
      ...(active ? { active } : { unindexed: 1 }),
      attempt: 1,
      feedback: { rating: 'up' },
      metadata: { memoryReceipt: { used: [] } },
    },
  ]);
  await collection('files').insertOne({
    _id: oid(fileId),
    ownerId: oid(grace.userId),
    name: 'owls.txt',
    type: 'text/plain',
    kind: 'text',
    size: 3,
    sha256: fileId,
    state: 'ready',
    conversationIds: [oid(id)],
    createdAt: core.now(),
  });
}

/** The reply has ended. */
const end = () =>
  collection('messages').updateOne(
    { _id: oid(replyId) },
    { $set: { status: 'complete' }, $unset: { active: 1 } },
  );
const begin = () => beginHandover(chat, { from: grace.userId, workspaceId, to: ada.userId });
const open = (actor: Actor, action: 'read' | 'manage' = 'read') =>
  openConversation(chat, actor, { id, action });
const titlesOf = async (actor: Actor) =>
  (await listConversations(chat, actor, {})).map(({ title }) => title);
const index = () => createIndexer(chat)(async (_partition, work) => work());
const found = async (actor: Actor) =>
  (await searchMessages(chat, actor, { q: 'tawny' })).results.length;
const messages = () =>
  collection('messages')
    .find({ conversationId: oid(id) })
    .sort({ depth: 1 })
    .toArray();

it('gives a conversation with all of its data to the next owner, and nothing else', async () => {
  await index();
  expect(await found(grace)).toBe(1);
  expect(await chat.countOwned(grace.userId, workspaceId)).toEqual({ shared: 1, others: 1 });
  await begin();
  await handOver(chat);
  expect(await open(ada, 'manage')).toMatchObject({
    ownerId: ada.userId,
    grants: [{ principal: `workspace:${workspaceId}`, role: 'viewer' }],
    formerOwners: [grace.userId],
  });
  expect(await titlesOf(grace)).toEqual(['Shared', 'Private']);
  const path = await chat.messages.findMany([messageId, replyId], {
    conversationId: id,
    ownerId: ada.userId,
  });
  expect(path.map(({ authorId }) => authorId)).toEqual([grace.userId, grace.userId]);
  expect(path[1]).toMatchObject({ payer: { ownerId: grace.userId, userId: grace.userId } });
  expect(path[1]).not.toHaveProperty('feedback');
  expect(path[1]?.metadata).not.toHaveProperty('memoryReceipt');
  await index();
  expect(await found(ada)).toBe(1);
  expect(await openFile(core.services.files, ada, fileId)).toMatchObject({ name: 'owls.txt' });
  expect(await core.services.files.findMany(ada.userId, [fileId], id)).toHaveLength(1);
  expect(await core.services.files.findMany(ada.userId, [fileId], newId())).toEqual([]);
});

it('is the next owner’s at once, also while a reply runs, and passes on when that has ended', async () => {
  await insertMessages({ active: true });
  await begin();
  await core.services.workspaces.memberships.remove({ workspaceId, userId: grace.userId });
  await handOver(chat);
  await expect(open(grace)).rejects.toMatchObject({ code: 'not_found' });
  expect(await titlesOf(grace)).toEqual(['Private']);
  const waiting = await open(ada, 'manage');
  expect(waiting).toMatchObject({ ownerId: grace.userId, givenTo: ada.userId });
  await expect(payerOf(chat, ada, waiting)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await chat.findUnreadable([{ userId: grace.userId, conversationId: id }])).toHaveLength(1);
  await expect(completeHandovers(chat, grace.userId)).rejects.toThrow('waits for its next owner');
  await end();
  await completeHandovers(chat, grace.userId);
  expect(await open(ada)).toMatchObject({ ownerId: ada.userId });
});

it('tells the state of a running reply to the next owner, and no more to the former one', async () => {
  await insertMessages({ active: true });
  await begin();
  const state = {
    replyId,
    conversationId: id,
    attempt: 1,
    status: 'streaming' as const,
    length: 0,
    metadata: { memoryReceipt: { mode: 'on', read: [], written: [], refused: [] } },
  };
  const writer = { replyId, conversationId: id, ownerId: grace.userId, attempt: 1 };
  await chat.replyLog.append(writer, { seq: 0, deltas: [], state: state as never });
  const told = core.events.filter(({ event }) => event === 'reply:state');
  expect(told.map(({ userId }) => userId)).toEqual([ada.userId]);
  expect(JSON.stringify(told)).not.toContain('memoryReceipt');
  await end();
  await handOver(chat);
});

it('goes to the next heir when the first one leaves before it is moved', async () => {
  const [owner, { workspaces }] = [await aUser(core), core.services];
  await workspaces.memberships.insert({
    workspaceId,
    userId: owner.userId,
    role: 'admin',
    joinedAt: core.now(),
  });
  await begin();
  await beginHandover(chat, { from: ada.userId, workspaceId, to: owner.userId });
  expect(await open(owner, 'manage')).toMatchObject({ givenTo: owner.userId });
  await handOver(chat);
  expect(await open(owner)).toMatchObject({ ownerId: owner.userId });
});

it('keeps the feedback of the next owner, and not that of the former one', async () => {
  const ratings = [
    { userId: oid(ada.userId), rating: 'good' },
    { userId: oid(grace.userId), rating: 'bad' },
  ];
  await collection('messages').updateOne({ _id: oid(replyId) }, { $set: { ratings } });
  await begin();
  await handOver(chat);
  const found = await chat.messages.find(replyId, { conversationId: id, ownerId: ada.userId });
  expect(found).toMatchObject({ feedback: { [ada.userId]: { rating: 'good' } } });
  expect(JSON.stringify(found)).not.toContain('bad');
});

it('continues after a crash at each step, and is read by nobody half moved', async () => {
  await index();
  await begin();
  const cut = () => Promise.reject(new Error('cut'));
  for (const fault of [
    { others: { ...chat.others, shares: { ...chat.others.shares, endOfConversation: cut } } },
    { handedOver: { move: cut } },
    { search: { ...chat.search, remove: cut } },
    { handovers: { ...chat.handovers, complete: cut } },
  ]) {
    await expect(handOver({ ...chat, ...fault })).rejects.toThrow('1 items have failed');
    for (const actor of [ada, grace])
      await expect(open(actor)).rejects.toMatchObject({
        code: expect.stringMatching(/unavailable|not_found/),
      });
  }
  await handOver(chat);
  await index();
  expect(await found(ada)).toBe(1);
  expect((await messages()).map(({ ownerId }) => String(ownerId))).toEqual([
    ada.userId,
    ada.userId,
  ]);
});

it('is reached although more than a batch of others fail again and again', async () => {
  const passing = { from: oid(grace.userId), to: oid(ada.userId), workspaceId: oid(workspaceId) };
  const failing = Array.from({ length: 100 }, () => ({
    _id: oid(newId()),
    ownerId: oid(grace.userId),
    title: 'Failing',
    handover: { ...passing, at: new Date(1) },
  }));
  await collection('conversations').insertMany(failing);
  await begin();
  const endOfConversation = async (moved: string) => {
    if (moved !== id) throw new Error('cut');
  };
  const shares = { ...chat.others.shares, endOfConversation };
  const cut = { ...chat, others: { ...chat.others, shares } };
  const failed = expect.objectContaining({ message: '100 items have failed' });
  await expect(handOver(cut)).rejects.toEqual(failed);
  await expect(handOver(cut)).rejects.toThrow('items have failed');
  expect(await open(ada)).toMatchObject({ ownerId: ada.userId });
  await collection('conversations').deleteMany({ _id: { $in: failing.map(({ _id }) => _id) } });
});

it('is repeated by two sweeps at once', async () => {
  await begin();
  await Promise.all([handOver(chat), handOver(chat), begin()]);
  await handOver(chat);
  expect(await open(ada)).toMatchObject({ ownerId: ada.userId });
  expect(await chat.handovers.open({ limit: 9 })).toEqual([]);
});

it('takes the move back when a reply has begun in the same moment', async () => {
  await begin();
  let reads = 0;
  const activeReplyId = async () => ((reads += 1) === 1 ? null : replyId);
  await handOver({ ...chat, messages: { ...chat.messages, activeReplyId } });
  expect(await open(ada)).toMatchObject({ ownerId: grace.userId, givenTo: ada.userId });
});

describe('another reply to a message that begins in the same moment', () => {
  let again: string;

  /** The sweep looks before the reply is stored; a worker starts that before it looks again. */
  const regenerateDuring = async (change = async () => {}) => {
    again = (await regenerateReply(chat, grace, { id: replyId })).id;
    const reply = await chat.messages.findReply(again);
    await begin();
    await change();
    let reads = 0;
    const activeReplyId: typeof chat.messages.activeReplyId = async (scope) => {
      if (scope.conversationId !== id) return chat.messages.activeReplyId(scope);
      reads += 1;
      if (reads === 1) return null;
      if (reply) await completeSend(chat, reply).catch(() => undefined);
      return chat.messages.activeReplyId(scope);
    };
    await handOver({ ...chat, messages: { ...chat.messages, activeReplyId } });
  };
  const ids = async () => (await messages()).map(({ _id }) => String(_id)).toSorted();

  it('goes on, and passes to the next owner with the others when it has ended', async () => {
    await regenerateDuring();
    expect(await open(ada)).toMatchObject({ ownerId: grace.userId, givenTo: ada.userId });
    await collection('messages').updateOne(
      { _id: oid(again) },
      { $set: { status: 'complete', content: 'In barns.' }, $unset: { active: 1, outbox: 1 } },
    );
    await handOver(chat);
    expect(await open(ada)).toMatchObject({ ownerId: ada.userId, activeLeafId: again });
    expect(await ids()).toEqual([messageId, replyId, again].toSorted());
  });

  it('goes on when the next owner deletes the conversation, and restores it', async () => {
    await regenerateDuring(() => deleteConversation(chat, ada, id));
    await restoreConversation(chat, ada, id);
    expect(await open(ada)).toMatchObject({ activeLeafId: again });
    expect(await ids()).toEqual([messageId, replyId, again].toSorted());
  });
});

it('survives the erasure of the former owner’s account, whose files go', async () => {
  await begin();
  await chat.handovers.open({ limit: 1 });
  await completeHandovers(chat, grace.userId);
  await chat.conversations.removeAllOf(grace.userId);
  expect(await messages()).toHaveLength(2);
  expect(await titlesOf(ada)).toEqual(['Shared']);
});
