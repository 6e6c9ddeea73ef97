import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { Reply } from '../src/contract/messages.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { createTurnStore, defineMessageModel } from '../src/features/chat/messages/index.ts';
import { longText, type Stack, startStack } from './stack.ts';

let stack: Stack;
const ANSWER = longText(20);

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage('slow', { content: longText(200) }, { streamingProfile: { tps: 40 } });
  stack.provider.onMessage(/.*/, { content: ANSWER });
});

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

  it('twenty times at once with the same id is one message, one reply, one call of the provider', async () => {
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
    const { reply } = (await anna.send(id, 'slow')).body;
    const second = await anna.send(id, 'And another');
    expect([second.status, second.body]).toMatchObject([409, { code: 'reply_in_progress' }]);
    await anna.post(`/replies/${reply.id}/stop`);
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    expect((await anna.send(id, 'And another')).status).toBe(202);
  });

  it('carries the conversation so far to the provider', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    await anna.send(id, 'My name is Anna');
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    await anna.send(id, 'What is my name?');
    await expect.poll(async () => (await anna.messages(id)).length).toBe(4);
    await expect.poll(async () => ended(await anna.reply(id))).toBe(true);
    const prompt = JSON.stringify(stack.provider.getRequests().at(-1)?.body);
    expect(prompt).toContain('My name is Anna');
    expect(prompt).toContain('What is my name?');
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

  it('with nothing in it, or too much, is refused with the field', async () => {
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
    const nobody = stack.person('not-a-token');
    expect((await nobody.send(id, 'Hello')).status).toBe(401);
    const registered = await fetch(`${stack.web.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'a long password' }),
    });
    const { token } = (await registered.json()) as { token: string };
    const ben = stack.person(token);
    const { status, body } = await ben.send(await ben.conversation(), 'Hello');
    expect([status, body]).toMatchObject([402, { code: 'subscription_required' }]);
  });

  it('ends with the demo, and says what was used', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    for (let n = 0; n < 20; n += 1) {
      expect((await anna.send(id, `Message ${n}`)).status).toBe(202);
      await expect.poll(async () => ended(await anna.reply(id)), { interval: 20 }).toBe(true);
    }
    const { status, body } = await anna.send(id, 'One too many');
    expect([status, body]).toMatchObject([
      402,
      { code: 'quota_exceeded', details: { used: { messages: 20 }, limit: { messages: 20 } } },
    ]);
  });

  it('is picked up by the sweeper when the process died before it was enqueued', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const { id: ownerId } = (await anna.get<User>('/auth/user')).body;
    const connection = await connectMongo(stack.env.MONGODB_URI ?? '');
    const turns = createTurnStore(defineMessageModel(connection));
    await turns.insert({
      conversationId: id,
      ownerId,
      clientMessageId: randomUUID(),
      content: 'Left behind',
      now: new Date(),
    });
    await connection.close();
    const status = async () => (await anna.reply(id)).status;
    await expect.poll(status, { timeout: 10_000 }).toBe('complete');
  });
});

describe("somebody else's conversation and reply", () => {
  it('are not there, whatever is asked of them and however they are named', async () => {
    const anna = await stack.guest();
    const ben = await stack.guest();
    const id = await anna.conversation();
    const { reply } = (await anna.send(id, 'Private')).body;
    const calls = [
      ['GET', `/conversations/${id}/messages`],
      ['POST', `/conversations/${id}/messages`, { content: 'Hello' }],
      ['GET', `/replies/${reply.id}`],
      ['GET', `/replies/${reply.id.toUpperCase()}`],
      ['POST', `/replies/${reply.id}/stop`],
      ['POST', `/replies/${reply.id}/retry`, { mode: 'again' }],
      ['GET', `/replies/not-an-id`],
      ['GET', `/conversations/%24ne/messages`],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await ben.call<ErrorBody>(method, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await ben.get<Conversation[]>('/conversations')).body).toEqual([]);
  });
});
