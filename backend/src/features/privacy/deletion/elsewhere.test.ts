import { Types } from 'mongoose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../../test/core.ts';
import type { Actor } from '../../../access/index.ts';
import { CreateShareBody } from '../../../contract/shares.ts';
import { createLog } from '../../../log.ts';
import { endElsewhere } from '../../chat/messages/elsewhere.ts';
import { authorsOf } from '../../chat/messages/present.ts';
import { createShare, listShares } from '../../shares/manage.ts';
import { openShare } from '../../shares/open.ts';
import { createWorkspace } from '../../workspaces/workspaces.ts';
import { deletionRunner } from './deleting.ts';
import { previewDeletion, readReceipt } from './receipts.ts';

let core: TestCore;
let ada: Actor;
let grace: Actor;
let conversationId: string;
let replyId: string;
let messageId: string;

const newId = () => new Types.ObjectId().toHexString();
const oid = (hex: string) => Types.ObjectId.createFromHexString(hex);
const messages = () => core.connection.collection('messages');

beforeAll(async () => {
  core = await testCore();
});

/** Grace has written in a conversation of Ada, where a reply to her runs, and shares a conversation of her own with Ada's workspace. */
beforeEach(async () => {
  [ada, grace] = [await aUser(core, { plan: 'pro' }), await aUser(core)];
  const { workspaces, chat } = core.services;
  const { id: workspaceId } = await createWorkspace(workspaces, ada, { name: 'Owls' });
  const { userId } = grace;
  await workspaces.memberships.insert({
    workspaceId,
    userId,
    role: 'member',
    joinedAt: core.now(),
  });
  const to = [{ principal: `workspace:${workspaceId}`, role: 'editor' as const }];
  for (const actor of [ada, grace])
    await chat.conversations.replaceGrants(await aConversation(core, actor), { from: [], to });
  const [theirs] = await chat.conversations.page({ ownerId: ada.userId }, { limit: 1 });
  conversationId = theirs?.id ?? '';
  [replyId, messageId] = [newId(), newId()];
  const common = {
    conversationId: oid(conversationId),
    ownerId: oid(ada.userId),
    createdAt: core.now(),
  };
  await messages().insertMany([
    {
      ...common,
      _id: oid(messageId),
      role: 'user',
      authorId: oid(userId),
      content: 'A secret',
      depth: 0,
    },
    {
      ...common,
      _id: oid(replyId),
      role: 'assistant',
      parentId: oid(messageId),
      content: '',
      depth: 1,
      status: 'streaming',
      active: true,
      attempt: 1,
      payer: { ownerId: userId, userId },
    },
  ]);
});

/** One attempt of the deletion, which erases what `eraseUser` of the chat erases. */
async function erase(choice: { handOver: boolean; eraseMessages: boolean }) {
  const { privacy, chat, accounts } = core.services;
  const { userId } = grace;
  await privacy.prepareDeletion(userId, choice);
  const receiptId = await privacy.requestDeletion(userId);
  await accounts.removals.begin(userId, core.now());
  const now = () => new Date(core.now().getTime() + 61_000);
  const others = { accounts: { find: async () => null }, chat };
  const log = createLog({ level: 'silent', name: 'test' });
  const tools = {
    eraseUser: () => chat.stopElsewhere(userId),
    userStores: [],
    userJobs: { count: async () => 0, remove: async () => undefined },
    sleep: async () => undefined,
  };
  await deletionRunner({ ...privacy, others, now, log }, tools).run({ receiptId });
  return readReceipt(privacy, receiptId);
}

it('is told before, with counts', async () => {
  expect(await previewDeletion(core.services.privacy, grace)).toEqual({
    shared: 1,
    personas: 0,
    files: 0,
    messages: 1,
  });
  expect(await previewDeletion(core.services.privacy, ada)).toEqual({
    shared: 0,
    personas: 0,
    files: 0,
    messages: 0,
  });
});

it('keeps messages in conversations of others as those of a former member, and stops what runs there', async () => {
  expect(await erase({ handOver: true, eraseMessages: false })).toMatchObject({
    state: 'done',
    elsewhere: { kept: 1, erased: 0 },
    handedOver: { conversations: 1, personas: 0, files: 0 },
  });
  expect(await messages().findOne({ content: 'A secret', ownerId: oid(ada.userId) })).toBeTruthy();
  expect(await messages().findOne({ _id: oid(replyId) })).toMatchObject({ stopRequested: true });
  const [handover] = await core.services.chat.handovers.open({ userId: grace.userId, limit: 1 });
  expect(handover).toMatchObject({ from: grace.userId, to: ada.userId });
  await core.services.accounts.removals.remove(grace.userId);
  const conversation = { grants: [], ownerId: ada.userId };
  const names = await authorsOf(core.services.chat, conversation, [{ authorId: grace.userId }]);
  expect(names({ authorId: grace.userId }).author?.name).toBe('Former member');
});

it('counts what was handed over once, also when the request is repeated', async () => {
  const { privacy } = core.services;
  const choice = { handOver: true, eraseMessages: false };
  await privacy.prepareDeletion(grace.userId, choice);
  expect(await previewDeletion(privacy, grace)).toMatchObject({ shared: 0 });
  expect(await erase(choice)).toMatchObject({
    handedOver: { conversations: 1, personas: 0, files: 0 },
  });
});

it('leaves to the owner what was only passing to the account, whatever the user has chosen', async () => {
  const { chat, workspaces, privacy } = core.services;
  const alan = await aUser(core);
  const [place] = await workspaces.memberships.ofUser(grace.userId);
  const workspaceId = place?.workspaceId ?? '';
  const { id } = await aConversation(core, alan);
  const to = [{ principal: `workspace:${workspaceId}`, role: 'editor' as const }];
  await chat.conversations.replaceGrants({ id, ownerId: alan.userId }, { from: [], to });
  await chat.beginHandover({ from: alan.userId, workspaceId, to: grace.userId });
  await privacy.prepareDeletion(grace.userId, { handOver: false, eraseMessages: false });
  const [handover] = await chat.handovers.open({ userId: alan.userId, limit: 1 });
  expect(handover).toMatchObject({ from: alan.userId, to: ada.userId });
  expect(await chat.handovers.open({ userId: grace.userId, limit: 1 })).toEqual([]);
});

it('erases them when the user has chosen so', async () => {
  const receipt = await erase({ handOver: false, eraseMessages: true });
  expect(receipt).toMatchObject({ elsewhere: { kept: 0, erased: 1 } });
  expect(receipt).not.toHaveProperty('handedOver');
  const own = { conversationId: oid(conversationId), role: 'user' };
  expect(await messages().findOne(own)).toMatchObject({
    content: '(erased)',
    metadata: { erased: true },
    unindexed: 1,
  });
  expect(await core.services.chat.handovers.open({ userId: grace.userId, limit: 1 })).toEqual([]);
});

describe('what shows the messages besides', () => {
  const share = async (body: CreateShareBody) =>
    (await createShare(core.services.shares, ada, CreateShareBody.parse(body))).id;
  const open = (id: string) => openShare(core.services.shares, null, { id });
  const conversations = () => core.connection.collection('conversations');
  const title = async () =>
    (await conversations().findOne({ _id: oid(conversationId) }))?.['title'];
  const rename = (to: string) =>
    conversations().updateOne({ _id: oid(conversationId) }, { $set: { title: to } });
  const names = { files: false, reasoning: false, names: true };
  const gone = { code: 'gone' };

  beforeEach(async () => {
    const key = { id: conversationId, ownerId: ada.userId };
    await core.services.chat.conversations.moveLeaf({ ...key, from: null, to: replyId });
  });

  it('of links, ends with the messages: snapshots of the conversation', async () => {
    const named = await share({ conversationId, include: names });
    const [plain, live, reply] = [
      await share({ conversationId }),
      await share({ conversationId, kind: 'live' }),
      await share({ replyId }),
    ];
    await erase({ handOver: false, eraseMessages: true });
    for (const id of [named, plain]) await expect(open(id)).rejects.toMatchObject(gone);
    for (const id of [live, reply])
      expect(JSON.stringify(await open(id))).not.toContain('A secret');
  });

  it('of links, ends with the name when the messages are kept: snapshots with names', async () => {
    const named = await share({ conversationId, include: names });
    const plain = await share({ conversationId });
    await erase({ handOver: false, eraseMessages: false });
    await expect(open(named)).rejects.toMatchObject(gone);
    expect(JSON.stringify(await open(plain))).toContain('A secret');
  });

  it.each([
    ['A secret', 'A secret', 'Conversation of a former member'],
    ['A  long secret\nthat', 'A long...', 'Conversation of a former member'],
    ['A secret', 'Owls', 'Owls'],
    ['Another secret', 'A secret', 'A secret'],
  ])('a first message %j leaves no title %j behind', async (content, before, after) => {
    await messages().updateOne({ _id: oid(messageId) }, { $set: { content } });
    await rename(before);
    await share({ conversationId, kind: 'live' });
    await erase({ handOver: false, eraseMessages: true });
    expect(await title()).toBe(after);
    expect((await listShares(core.services.shares, ada)).map((one) => one.title)).toEqual([after]);
  });

  it('leaves no title behind in the trash', async () => {
    await rename('A secret');
    const deletedAt = { $set: { deletedAt: new Date() } };
    await core.connection
      .collection('conversations')
      .updateOne({ _id: oid(conversationId) }, deletedAt);
    await erase({ handOver: false, eraseMessages: true });
    expect(await title()).toBe('Conversation of a former member');
  });

  it('keeps the title with the message', async () => {
    await rename('A secret');
    await erase({ handOver: false, eraseMessages: false });
    expect(await title()).toBe('A secret');
  });

  /** A reply with a check that quotes the message and a file. */
  const quote = () => {
    const place = { start: 0, end: 8 };
    const evidence = [
      { quote: 'A secret', source: { ...place, kind: 'message', messageId } },
      { quote: 'A page', source: { ...place, kind: 'file', fileId: 'f' } },
    ];
    const claims = {
      state: 'checked',
      claims: [
        { id: 'a', evidence },
        { id: 'b', evidence: [] },
      ],
    };
    return messages().updateOne({ _id: oid(replyId) }, { $set: { metadata: { claims } } });
  };
  const quotes = async () => {
    const found = await messages().findOne({ _id: oid(replyId) });
    return found?.['metadata'].claims.claims.map(
      ({ evidence }: { evidence: object[] }) => evidence,
    );
  };

  it('loses the quotations of erased messages in checks of replies', async () => {
    await quote();
    await erase({ handOver: false, eraseMessages: true });
    expect(await quotes()).toEqual([[expect.objectContaining({ quote: 'A page' })], []]);
  });

  it('is erased by the next attempt, wherever the former one has crashed', async () => {
    await quote();
    await rename('A secret');
    const id = await share({ conversationId });
    const { chat } = core.services;
    const { shares } = chat.others;
    const cut = () => Promise.reject(new Error('cut'));
    for (const fault of [
      { others: { ...chat.others, shares: { ...shares, retitle: cut } } },
      { conversations: { ...chat.conversations, retitle: cut } },
      { authored: { ...chat.authored, erase: cut } },
      { authored: { ...chat.authored, eraseQuotes: cut } },
      { others: { ...chat.others, shares: { ...shares, endSnapshots: cut } } },
      { authored: { ...chat.authored, count: cut } },
    ]) {
      const attempt = endElsewhere({ ...chat, ...fault }, grace.userId, { erase: true });
      await expect(attempt).rejects.toThrow('cut');
    }
    expect(await endElsewhere(chat, grace.userId, { erase: true })).toEqual({ kept: 0, erased: 1 });
    await expect(open(id)).rejects.toMatchObject(gone);
    expect(await title()).toBe('Conversation of a former member');
    expect(
      JSON.stringify([
        await quotes(),
        await messages()
          .find({ conversationId: oid(conversationId) })
          .toArray(),
      ]),
    ).not.toContain('"A secret"');
  });
});
