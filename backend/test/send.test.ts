import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { Reply } from '../src/contract/messages.ts';
import type { ReplyResult } from '../src/contract/replies.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { connectRedis } from '../src/db/redis.ts';
import { logKey } from '../src/features/chat/generation/log.ts';
import {
  DEFAULT_SETTINGS,
  defineMessageModel,
  sentMessageIds,
} from '../src/features/chat/messages/index.ts';
import { createSentMessageStore } from '../src/features/chat/messages/sent-message-model.ts';
import { ownPayer } from '../src/features/payer.ts';
import { longText, type Stack, startStack } from './stack.ts';

let stack: Stack;
const ANSWER = longText(20);

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage('hang', { content: 'Owls' }, { streamingProfile: { ttft: 60_000 } });
  stack.provider.onMessage(/.*/, { content: ANSWER });
});

const toObjectId = (id: string) => Types.ObjectId.createFromHexString(id);

/** A send that was interrupted after its messages were stored. */
async function leaveBehind({
  ownerId,
  conversationId,
}: {
  ownerId: string;
  conversationId: string;
}) {
  const connection = await connectMongo(stack.env.MONGODB_URI ?? '');
  const clientMessageId = randomUUID();
  const ids = sentMessageIds(conversationId, clientMessageId);
  await createSentMessageStore(defineMessageModel(connection)).insert({
    isShared: false,
    ids,
    conversationId,
    ownerId,
    clientMessageId,
    settings: DEFAULT_SETTINGS,
    content: 'Left behind',
    parentId: null,
    depth: 1,
    pathLength: 'Left behind'.length,
    reserved: { promptTokens: 100, replyTokens: 100 },
    payer: ownPayer(ownerId),
    lane: 'guest',
    leafBefore: null,
    createdAt: new Date(),
    now: new Date(),
  });
  return { connection, ids };
}

const ended = (reply: Reply) => !['queued', 'streaming'].includes(reply.status);

describe('sending a message', () => {
  it('is accepted at once, and answered by a worker', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const sent = await anna.send(id, 'Hello');
    expect(sent.status).toBe(202);
    expect(sent.body.message).toMatchObject({ role: 'user', content: 'Hello' });
    expect(sent.body.reply).toMatchObject({ role: 'assistant', status: 'queued', content: '' });
    await expect.poll(async () => (await anna.reply(id)).status).toBe('complete');
    expect(await anna.messages(id)).toMatchObject([
      { id: sent.body.message.id, content: 'Hello' },
      { id: sent.body.reply.id, content: ANSWER, parentId: sent.body.message.id, attempt: 1 },
    ]);
  });

  it('fault 13: twenty times at once with the same id is one message, one reply, one call of the provider', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const before = stack.provider.getRequests().length;
    const clientMessageId = randomUUID();
    const sends = await Promise.all(
      Array.from({ length: 20 }, () => anna.send(id, 'Once only', clientMessageId)),
    );
    expect(sends.map(({ status }) => status)).toEqual(Array(20).fill(202));
    expect(new Set(sends.map(({ body }) => body.reply.id)).size).toBe(1);
    await expect.poll(async () => (await anna.reply(id)).status).toBe('complete');
    expect(await anna.messages(id)).toHaveLength(2);
    expect((await anna.send(id, 'Once only', clientMessageId)).body.reply.status).toBe('complete');
    expect(stack.provider.getRequests().length - before).toBe(1);
    const { demo } = (await anna.get<User>('/auth/user')).body;
    expect(demo?.messagesLeft).toBe(19);
  });

  it('while a reply runs is refused, and works once it has ended', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const { reply } = (await anna.send(id, 'hang')).body;
    const second = await anna.send(id, 'And another');
    expect([second.status, second.body]).toMatchObject([409, { code: 'reply_in_progress' }]);
    await anna.post(`/replies/${reply.id}/stop`);
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    expect((await anna.send(id, 'And another')).status).toBe(202);
  });

  it('sends the conversation so far to the provider', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    await anna.send(id, 'My name is Anna');
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    await anna.send(id, 'What is my name?');
    await expect.poll(async () => (await anna.messages(id)).length).toBe(4);
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    const prompts = stack.provider.getRequests().filter(({ body }) => body?.stream);
    const prompt = JSON.stringify(prompts.at(-1)?.body);
    expect(prompt).toContain('My name is Anna');
    expect(prompt).toContain('What is my name?');
  });

  it('answers with the path to the message, not with other branches', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const complete = async (texts: number) => {
      await expect.poll(async () => (await anna.messages(id)).length).toBe(texts);
      await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    };
    const { reply } = (await anna.send(id, 'On every branch')).body;
    await complete(2);
    await anna.send(id, 'On the first branch');
    await complete(4);
    const edited = await anna.branch(id, 'On the second branch', reply.id);
    expect(edited.status).toBe(202);
    await complete(4);
    const prompt = JSON.stringify(stack.provider.getRequests().at(-1)?.body);
    expect(prompt).toContain('On every branch');
    expect(prompt).toContain('On the second branch');
    expect(prompt).not.toContain('On the first branch');
    const again = await anna.post<ReplyResult>(`/replies/${reply.id}/regenerate`);
    expect([again.status, again.body]).toMatchObject([
      202,
      { reply: { status: 'queued', siblingIds: [reply.id, again.body.reply.id] } },
    ]);
    await complete(2);
    expect((await anna.reply(id)).id).toBe(again.body.reply.id);
    const shown = await anna.patch<Conversation>(`/conversations/${id}`, {
      activeLeafId: edited.body.message.id,
    });
    expect([shown.status, shown.body]).toMatchObject([
      200,
      { id, activeLeafId: edited.body.reply.id },
    ]);
    expect((await anna.messages(id))[2]?.content).toBe('On the second branch');
  });

  it('moves the conversation to the top of the list', async () => {
    const anna = await stack.guest();
    const older = await anna.conversation();
    const newer = await anna.conversation();
    await anna.send(older, 'Hello');
    const order = async () =>
      (await anna.get<Conversation[]>('/conversations')).body.map(({ id }) => id);
    await expect.poll(order).toEqual([older, newer]);
  });

  it('without content, or with too much, is refused with the field', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    for (const content of ['  \n ', 'x'.repeat(32_001)]) {
      const { status, body } = await anna.send(id, content);
      expect([status, body]).toMatchObject([422, { details: { field: 'content' } }]);
    }
    const operator = await anna.post(`/conversations/${id}/messages`, { content: { $gt: '' } });
    expect(operator.status).toBe(422);
    expect(await anna.messages(id)).toEqual([]);
  });

  it('needs a session and a plan', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const nobody = stack.api('not-a-token');
    expect((await nobody.send(id, 'Hello')).status).toBe(401);
    const registered = await fetch(`${stack.web.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'a long password' }),
    });
    const { token } = (await registered.json()) as { token: string };
    const ben = stack.api(token);
    const { status, body } = await ben.send(await ben.conversation(), 'Hello');
    expect([status, body]).toMatchObject([402, { code: 'subscription_required' }]);
  });

  it('is refused when the demo is used up, with the used amount', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    for (let n = 0; n < 20; n += 1) {
      expect((await anna.send(id, `Message ${n}`)).status).toBe(202);
      await expect.poll(async () => ended(await anna.reply(id)), { interval: 20 }).toBe(true);
    }
    const { status, body } = await anna.send(id, 'One too many');
    expect([status, body]).toMatchObject([
      402,
      { code: 'quota_exceeded', details: { messages: { used: 20, limit: 20 }, limit: 100_000 } },
    ]);
  });

  it('that is stored after its conversation was erased leaves nothing', async () => {
    const anna = await stack.guest();
    const { id: ownerId } = (await anna.get<User>('/auth/user')).body;
    const conversationId = new Types.ObjectId().toString();
    const { connection, ids } = await leaveBehind({ ownerId, conversationId });
    const messages = connection.collection('messages');
    const _id = { $in: Object.values(ids).map(toObjectId) };
    expect(await messages.countDocuments({ _id })).toBe(2);
    await expect.poll(() => messages.countDocuments({ _id })).toBe(0);
    const searched = connection.collection('searchentries');
    expect(await searched.countDocuments({ conversationId: toObjectId(conversationId) })).toBe(0);
    const redis = await connectRedis(stack.redis.url, { retry: 'never', onError: () => {} });
    await expect.poll(() => redis.exists(logKey({ id: ids.replyId, conversationId }))).toBe(0);
    redis.disconnect();
    const charged = { replyId: ids.replyId, state: 'settled' };
    expect(await connection.collection('usage_ledger').countDocuments(charged)).toBe(0);
    await connection.close();
  });

  it('is completed after a crash between its two documents', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const { id: ownerId } = (await anna.get<User>('/auth/user')).body;
    const { connection, ids } = await leaveBehind({ ownerId, conversationId: id });
    await connection.collection('messages').deleteOne({ _id: toObjectId(ids.messageId) });
    await connection.close();
    await expect.poll(async () => anna.messages(id)).toHaveLength(2);
    const status = async () => (await anna.reply(id)).status;
    await expect.poll(status).toBe('complete');
    expect(await anna.messages(id)).toMatchObject([
      { id: ids.messageId, content: 'Left behind', parentId: null },
      { id: ids.replyId, content: ANSWER },
    ]);
  });
});

describe('conversations and replies of another user', () => {
  it('answer 404 to every call and in every notation of the id', async () => {
    const anna = await stack.guest();
    const ben = await stack.guest();
    const id = await anna.conversation();
    const { reply } = (await anna.send(id, 'Private')).body;
    const own = await ben.conversation();
    const calls = [
      ['GET', `/conversations/${id}/messages`],
      ['POST', `/conversations/${id}/messages`, { content: 'Hello' }],
      ['GET', `/replies/${reply.id}`],
      ['GET', `/replies/${reply.id.toUpperCase()}`],
      ['POST', `/replies/${reply.id}/stop`],
      ['POST', `/replies/${reply.id}/regenerate`],
      ['PATCH', `/conversations/${id}`, { title: 'Mine now' }],
      ['PATCH', `/conversations/${id}`, { activeLeafId: reply.id }],
      ['GET', `/conversations/${id}/messages?before=${reply.id}`],
      ['POST', `/conversations/${own}/messages`, { content: 'Hello', parentId: reply.id }],
      ['PATCH', `/conversations/${own}`, { activeLeafId: reply.id }],
      ['GET', `/conversations/${own}/messages?before=${reply.id}`],
      ['GET', `/replies/not-an-id`],
      ['GET', `/conversations/%24ne/messages`],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await ben.call<ErrorBody>(method, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found']);
    }
    const listed = await ben.get<Conversation[]>(`/conversations?ids=${id},${own}`);
    expect(listed.body.map((conversation) => conversation.id)).toEqual([own]);
  });
});
