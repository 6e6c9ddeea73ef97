import { Types } from 'mongoose';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../../test/core.ts';
import type { Actor } from '../../../access/index.ts';
import { createLog } from '../../../log.ts';
import { authorsOf } from '../../chat/messages/present.ts';
import { createWorkspace } from '../../workspaces/workspaces.ts';
import { deletionRunner } from './deleting.ts';
import { previewDeletion, readReceipt } from './receipts.ts';

let core: TestCore;
let ada: Actor;
let grace: Actor;
let conversationId: string;
let replyId: string;

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
  replyId = new Types.ObjectId().toHexString();
  const common = {
    conversationId: oid(conversationId),
    ownerId: oid(ada.userId),
    createdAt: core.now(),
  };
  await messages().insertMany([
    { ...common, role: 'user', authorId: oid(userId), content: 'A secret', depth: 0 },
    {
      ...common,
      _id: oid(replyId),
      role: 'assistant',
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
    unindexed: 0,
  });
  expect(await core.services.chat.handovers.open({ userId: grace.userId, limit: 1 })).toEqual([]);
});
