import { text } from 'node:stream/consumers';
import { Types } from 'mongoose';
import { expect, it } from 'vitest';
import { aConversation, aUser, testCore } from '../../../../test/core.ts';
import { rateReply } from '../generation/control.ts';
import { exportConversations } from './export.ts';
import { exportOwn } from './own.ts';

it('exports what a user thinks of replies, also in conversations of others, with places there, until both are erased', async () => {
  const core = await testCore();
  const { chat } = core.services;
  const [ada, bob] = [await aUser(core), await aUser(core)];
  const conversation = await aConversation(core, ada);
  const { id: conversationId } = conversation;
  const replyId = new Types.ObjectId();
  await core.connection.collection('messages').insertOne({
    _id: replyId,
    conversationId: Types.ObjectId.createFromHexString(conversationId),
    ownerId: Types.ObjectId.createFromHexString(ada.userId),
    role: 'assistant',
    parentId: new Types.ObjectId(),
    content: 'Owls hoot.',
    status: 'complete',
    attempt: 1,
    depth: 1,
    createdAt: core.now(),
  });
  const to = [{ principal: `user:${bob.userId}`, role: 'viewer' as const }];
  await chat.conversations.replaceGrants(conversation, { from: [], to });
  const id = String(replyId);
  await rateReply(chat.generation, ada, { id, rating: 'good', reason: 'Clear' });
  await rateReply(chat.generation, bob, { id, rating: 'bad', reason: 'Not true' });
  await chat.views.show({ conversationId, userId: bob.userId }, id);

  const exported = async (userId: string) => {
    const files: Record<string, unknown> = {};
    for await (const { path, open } of exportOwn(chat, userId)) {
      const content = await open();
      files[path] = content && JSON.parse(await text(content));
    }
    return files;
  };
  expect(await exported(ada.userId)).toEqual({
    'views.json': [],
    'messages-elsewhere.json': [],
    'feedback.json': [{ conversationId, replyId: id, rating: 'good', reason: 'Clear' }],
  });
  expect(await exported(bob.userId)).toEqual({
    'views.json': [{ conversationId, leafId: id, readAt: null, mentionedAt: null }],
    'messages-elsewhere.json': [],
    'feedback.json': [{ conversationId, replyId: id, rating: 'bad', reason: 'Not true' }],
  });

  expect(await chat.authored.countRatings(bob.userId)).toBe(1);
  await chat.authored.removeRatings(bob.userId);
  expect(await chat.authored.countRatings(bob.userId)).toBe(0);
  expect((await exported(bob.userId))['feedback.json']).toEqual([]);
  expect((await exported(ada.userId))['feedback.json']).toHaveLength(1);
});

it('exports what a user has written in conversations of others, without what is erased', async () => {
  const core = await testCore();
  const { chat } = core.services;
  const [ada, bob] = [await aUser(core), await aUser(core)];
  const { id: conversationId } = await aConversation(core, ada);
  const oid = (id: string) => Types.ObjectId.createFromHexString(id);
  const [createdAt, authorId] = [new Date('2026-11-01T10:00:00Z'), oid(bob.userId)];
  const said = { conversationId: oid(conversationId), role: 'user', depth: 0, createdAt };
  const hers = { ...said, ownerId: oid(ada.userId) };
  const erased = { content: '(erased)', metadata: { erased: true } };
  await core.connection.collection('messages').insertMany([
    { ...hers, content: 'Of Ada' },
    { ...hers, authorId, content: 'Of Bob', metadata: { files: [{ name: 'owls.pdf' }, {}] } },
    { ...hers, authorId, content: 'Also of Bob' },
    { ...hers, authorId, ...erased },
    { ...said, ownerId: authorId, authorId, content: 'In a conversation that is his own now' },
  ]);
  const exported = async (userId: string) => {
    for await (const { path, open } of exportOwn(chat, userId)) {
      const content = path === 'messages-elsewhere.json' && (await open());
      if (content) return JSON.parse(await text(content)) as object[];
    }
    return null;
  };
  const of = { conversationId, createdAt: createdAt.toISOString() };
  expect(await exported(ada.userId)).toEqual([]);
  expect(await exported(bob.userId)).toEqual([
    { ...of, content: 'Of Bob', files: ['owls.pdf', 'File'] },
    { ...of, content: 'Also of Bob' },
  ]);
});

it('exports each conversation of a user, also one that is changed while they are listed', async () => {
  const core = await testCore();
  const { chat } = core.services;
  const ada = await aUser(core);
  const numbers = Array.from({ length: 120 }, (_, n) => n);
  const [first] = await Promise.all(
    numbers.map((n) => aConversation(core, ada, { title: `Talk ${n}`, at: new Date(1_000 * n) })),
  );
  const paths: string[] = [];
  for await (const { path } of exportConversations(chat, ada.userId)) {
    if (paths.length === 0 && first) await chat.conversations.touch({ ...first, at: core.now() });
    paths.push(path);
  }
  expect(paths.toSorted()).toEqual(
    numbers
      .flatMap((n) => ['md', 'json'].map((type) => `conversations/1970-01-01 Talk ${n}.${type}`))
      .toSorted(),
  );
});
