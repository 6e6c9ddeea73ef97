import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedConversation } from '../src/contract/conversations.ts';
import type { Message } from '../src/contract/messages.ts';
import { AppError } from '../src/errors.ts';
import { createBeginning } from '../src/features/chat/messages/index.ts';
import { actorOf, type Chat, newId, openChat } from './chat.ts';
import { type Stack, startStack } from './stack.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

type Changes = Parameters<Chat['service']>[0];

const begin = (changes: Changes = {}) =>
  createBeginning({ ...chat.deps, messages: chat.service(changes) });

const aBeginning = () => ({
  title: 'Owls',
  clientConversationId: randomUUID(),
  message: { content: 'Why do owls turn their heads?', clientMessageId: randomUUID() },
});

const stored = async (ownerId: string) => ({
  conversations: await chat.conversationModel.countDocuments({ ownerId }),
  messages: await chat.model.countDocuments({ ownerId }),
});

describe('a conversation that begins with a message', () => {
  it('is stored once with it, even twenty times at once and again later', async () => {
    const actor = actorOf(newId());
    const beginning = aBeginning();
    const all = await Promise.all(Array.from({ length: 20 }, () => begin()(actor, beginning)));
    const again = await begin()(actor, beginning);
    const [first] = all;
    expect(new Set([...all, again].map((one) => JSON.stringify(one.sent))).size).toBe(1);
    expect(await stored(actor.userId)).toEqual({ conversations: 1, messages: 2 });
    expect(first).toMatchObject({
      title: 'Owls',
      sent: {
        message: { conversationId: first?.id, parentId: null, content: beginning.message.content },
        reply: { status: 'queued' },
      },
    });
    expect(again.activeLeafId).toBe(first?.sent?.reply.id);
    expect(chat.jobs).toContain(first?.sent?.reply.id);
  });

  it('is found when another request stores it between two reads of this one', async () => {
    const actor = actorOf(newId());
    const beginning = aBeginning();
    const first = await begin()(actor, beginning);
    const { sends } = chat.deps;
    let reads = 0;
    const find: typeof sends.find = async (...args) =>
      (reads += 1) === 1 ? { sent: null, others: [] } : sends.find(...args);
    const again = await begin({ sends: { ...sends, find } })(actor, beginning);
    expect(again.sent).toEqual(first.sent);
    expect(await stored(actor.userId)).toEqual({ conversations: 1, messages: 2 });
  });

  it('is another one for another user with the same ids', async () => {
    const beginning = aBeginning();
    const mine = await begin()(actorOf(newId()), beginning);
    const theirs = await begin()(actorOf(newId()), beginning);
    expect(mine.id).not.toBe(theirs.id);
    expect(mine.sent?.reply.id).not.toBe(theirs.sent?.reply.id);
  });

  it('takes the message later that was refused at first', async () => {
    const actor = actorOf(newId());
    const beginning = aBeginning();
    const reserve = async () => {
      throw new AppError('quota_exceeded', 'Used up.');
    };
    const refusing = begin({ usage: { ...chat.deps.usage, reserve } });
    await expect(refusing(actor, beginning)).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect(await stored(actor.userId)).toEqual({ conversations: 1, messages: 0 });
    await begin()(actor, beginning);
    expect(await stored(actor.userId)).toEqual({ conversations: 1, messages: 2 });
  });

  it('is not stored when the user has sent too much', async () => {
    const actor = actorOf(newId());
    const refused = Promise.reject(new AppError('too_many_requests', 'Too many.'));
    await expect(begin()(actor, { ...aBeginning(), admitted: refused })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    expect(await stored(actor.userId)).toEqual({ conversations: 0, messages: 0 });
  });
});

describe('over HTTP', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });

  it('one call creates the conversation and sends the message', async () => {
    const anna = await stack.guest();
    const { status, body } = await anna.post<CreatedConversation>('/conversations', aBeginning());
    expect(status).toBe(201);
    expect(body.activeLeafId).toBe(body.sent?.reply.id);
    const { body: messages } = await anna.get<Message[]>(`/conversations/${body.id}/messages`);
    expect(messages.map(({ id }) => id)).toEqual([body.sent?.message.id, body.sent?.reply.id]);
  });

  it('a message that is not valid creates no conversation', async () => {
    const anna = await stack.guest();
    const message = { content: ' ' };
    const { status } = await anna.post('/conversations', { title: 'Owls', message });
    expect(status).toBe(422);
    expect((await anna.get('/conversations')).body).toEqual([]);
  });
});
