import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  completeSend,
  type MessageDocument,
  sentMessageIds,
  toReply,
} from '../src/features/chat/messages/index.ts';
import type { Payer } from '../src/features/payer.ts';
import { actorOf, type Chat, newId, openChat, type Talk } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

const list = (talk: Talk) => chat.pages.list(talk.actor, { conversationId: talk.id, limit: 200 });
const contents = async (talk: Talk) => (await list(talk)).map(({ content }) => content);
const keyOf = (talk: Talk) => ({ id: talk.id, ownerId: talk.actor.userId });
const leafOf = async (talk: Talk) =>
  (await chat.deps.conversations.find(keyOf(talk)))?.activeLeafId;
const down = () => Promise.reject(new Error('The process died here.'));

/** The reply with its outbox, as a worker reads it. */
const stored = async (replyId: string) => {
  const doc = await chat.model.findById(replyId).lean<MessageDocument>();
  if (!doc) throw new Error('There is no such reply.');
  return toReply(doc);
};

/** A send that `fault` interrupts; afterwards it can be repeated. */
async function cut(talk: Talk, fault: Parameters<Chat['service']>[0]) {
  const key = randomUUID();
  const body = { conversationId: talk.id, content: 'Two', clientMessageId: key };
  await chat
    .service(fault)
    .send(talk.actor, body)
    .catch(() => undefined);
  return { ...sentMessageIds(talk.id, key), repeat: () => chat.service().send(talk.actor, body) };
}

it('a send that another request stores between two reads of this one is found', async () => {
  const talk = await chat.start();
  const body = { conversationId: talk.id, content: 'One', clientMessageId: randomUUID() };
  const first = await chat.service().send(talk.actor, body);
  const { sentMessages } = chat.deps;
  let reads = 0;
  const find: typeof sentMessages.find = async (...args) =>
    (reads += 1) === 1 ? { sent: null, others: [] } : sentMessages.find(...args);
  const again = await chat
    .service({ sentMessages: { ...sentMessages, find } })
    .send(talk.actor, body);
  expect(again).toEqual(first);
  expect(await contents(talk)).toEqual(['One', '']);
});

describe('a send that a workspace pays for', () => {
  /** Sends the same message again and again in a conversation of a workspace that `owner` owns at the time. */
  const start = async () => {
    const actor = actorOf(newId());
    const workspaceId = newId();
    const { id } = await chat.conversations.create(actor, { title: 'A talk', workspaceId });
    const body = { conversationId: id, content: 'One', clientMessageId: randomUUID() };
    const calls: [string, Payer][] = [];
    const { reserve, release } = chat.deps.usage;
    const usage = {
      ...chat.deps.usage,
      reserve: (payer: Payer, request: Parameters<typeof reserve>[1]) => {
        calls.push(['reserve', payer]);
        return reserve(payer, request);
      },
      release: (payer: Payer, key: Parameters<typeof release>[1]) => {
        calls.push(['release', payer]);
        return release(payer, key);
      },
    };
    const send = (owner: string, fault: Parameters<Chat['service']>[0] = {}) => {
      const workspaces = { ...chat.deps.others.workspaces, poolFor: async () => owner };
      return chat.service({ usage, workspaces, ...fault }).send(actor, body);
    };
    const payerOf = (ownerId: string): Payer => ({ ownerId, userId: actor.userId, workspaceId });
    return { calls, send, payerOf };
  };

  it('is paid by the same payer when it is repeated after a cut, and the reply keeps it', async () => {
    const { calls, send, payerOf } = await start();
    const { sentMessages } = chat.deps;
    const owner = newId();
    await send(owner, { sentMessages: { ...sentMessages, insert: down } }).catch(() => undefined);
    const { reply } = await send(owner);
    expect(calls).toEqual([
      ['reserve', payerOf(owner)],
      ['reserve', payerOf(owner)],
    ]);
    expect((await stored(reply.id)).payer).toEqual(payerOf(owner));
  });

  it('gives back what a later owner of the workspace has reserved for a reply that is stored', async () => {
    const { calls, send, payerOf } = await start();
    const { sentMessages } = chat.deps;
    const [owner, later] = [newId(), newId()];
    const { reply } = await send(owner);
    let reads = 0;
    const find: typeof sentMessages.find = async (...args) =>
      (reads += 1) === 1 ? { sent: null, others: [] } : sentMessages.find(...args);
    const again = await send(later, { sentMessages: { ...sentMessages, find } });
    expect(again.reply.id).toBe(reply.id);
    expect(calls.at(-1)).toEqual(['release', payerOf(later)]);
    expect((await stored(reply.id)).payer).toEqual(payerOf(owner));
  });
});

describe('fault 26: a send that is cut', () => {
  it('between reservation and insert is accepted when it is repeated', async () => {
    const talk = await chat.start();
    await talk.say('One');
    const { replyId, repeat } = await cut(talk, {
      sentMessages: { ...chat.deps.sentMessages, insert: down },
    });
    expect(await contents(talk)).toEqual(['One', 'Reply to One']);
    expect((await repeat()).reply.id).toBe(replyId);
    expect(chat.quota.slice(-2)).toEqual([`reserve ${replyId} 1`, `reserve ${replyId} 1`]);
    expect((await contents(talk)).slice(2)).toEqual(['Two', '']);
  });

  /** A send of which only the reply was stored. */
  const cutAfterReply = async (talk: Talk) => {
    const first = await talk.say('One');
    const moveLeaf = { conversations: { ...chat.deps.conversations, moveLeaf: down } };
    const { messageId, ...rest } = await cut(talk, moveLeaf);
    await chat.model.deleteOne({ _id: messageId });
    expect(await contents(talk)).toEqual(['One', 'Reply to One']);
    return { ...rest, messageId, parentId: first.reply.id };
  };

  const expectWhole = async (
    talk: Talk,
    { messageId, replyId, parentId }: Record<'messageId' | 'replyId' | 'parentId', string>,
  ) => {
    expect((await list(talk)).slice(2)).toMatchObject([
      { id: messageId, content: 'Two', parentId, siblingIds: [messageId] },
      { id: replyId, parentId: messageId },
    ]);
    const pathLength = 'OneReply to OneTwo'.length;
    expect(await chat.model.findById(messageId).lean()).toMatchObject({ depth: 2, pathLength });
  };

  it('between reply and user message is completed when it is repeated', async () => {
    const talk = await chat.start();
    const { repeat, ...ids } = await cutAfterReply(talk);
    const { message } = await repeat();
    expect(message).toMatchObject({ id: ids.messageId, content: 'Two', parentId: ids.parentId });
    expect(chat.quota.filter((entry) => entry.includes(ids.replyId))).toHaveLength(1);
    expect(chat.jobs.at(-1)).toBe(ids.replyId);
    await expectWhole(talk, ids);
  });

  it('between reply and user message is completed by a worker', async () => {
    const talk = await chat.start();
    const ids = await cutAfterReply(talk);
    expect(await chat.deps.completeSend(await stored(ids.replyId))).toBe(true);
    expect(await chat.deps.completeSend(await stored(ids.replyId))).toBe(false);
    await expectWhole(talk, ids);
  });

  it('keeps an existing user message, also when two processes complete it at once', async () => {
    const talk = await chat.start();
    const { messageId, replyId } = await cutAfterReply(talk);
    const reply = await stored(replyId);
    const lost = Object.assign(new Error('E11000'), { code: 11_000 });
    vi.spyOn(chat.model, 'updateOne').mockRejectedValueOnce(lost);
    expect(await chat.deps.completeSend(reply)).toBe(false);
    expect(await chat.deps.completeSend(reply)).toBe(true);
    await chat.model.updateOne({ _id: messageId }, { $set: { content: 'Later' } });
    await chat.deps.completeSend(reply);
    expect((await chat.model.findById(messageId))?.content).toBe('Later');
  });

  it('between insert and leaf is completed, and the audience is notified', async () => {
    const talk = await chat.start();
    const { replyId } = await cut(talk, {
      conversations: { ...chat.deps.conversations, moveLeaf: down },
    });
    expect(await list(talk)).toEqual([]);
    await chat.deps.completeSend(await stored(replyId));
    expect(await contents(talk)).toEqual(['Two', '']);
    expect(chat.events.at(-1)).toMatchObject({
      userId: talk.actor.userId,
      event: 'conversation:changed',
      payload: { activeLeafId: replyId },
    });
  });

  it('between insert and leaf when regenerating is completed', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('One');
    const again = await chat
      .service({ conversations: { ...chat.deps.conversations, moveLeaf: down } })
      .regenerate(talk.actor, reply.id);
    expect(await leafOf(talk)).toBe(reply.id);
    await chat.deps.completeSend(await stored(again.id));
    expect(await leafOf(talk)).toBe(again.id);
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(3);
  });

  it('before it is enqueued answers 503 and is enqueued when it is repeated', async () => {
    const talk = await chat.start();
    const key = randomUUID();
    const body = { conversationId: talk.id, content: 'Two', clientMessageId: key };
    await expect(chat.service({ enqueue: down }).send(talk.actor, body)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await contents(talk)).toEqual(['Two', '']);
    const { replyId } = sentMessageIds(talk.id, key);
    expect(chat.jobs).not.toContain(replyId);
    const count = chat.events.length;
    await chat.service().send(talk.actor, body);
    expect(chat.jobs).toContain(replyId);
    expect(chat.events.slice(count)).toMatchObject([
      { event: 'message:created', payload: { reply: { id: replyId } } },
    ]);
  });

  it('and completed late does not change a branch that was selected since', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const late = await talk.send('Two');
    const reply = await stored(late.reply.id);
    await chat.end(late.reply.id);
    const later = await talk.say('Other', null);
    await chat.deps.completeSend(reply);
    expect(await leafOf(talk)).toBe(later.reply.id);
    expect(reply.outbox?.leafBefore).toBe(first.reply.id);
  });
});

describe('a send that outlives its conversation', () => {
  const gone = (id: string) => chat.conversationModel.deleteOne({ _id: id });
  const erasing = (id: string) =>
    chat.conversationModel.updateOne({ _id: id }, { deletedAt: new Date(), isErasing: true });

  const goneBesideHandover = async (id: string) => {
    const erased = await chat.conversationModel.findById(id);
    const other = await chat.start(actorOf(String(erased?.ownerId)));
    const passing = { 'handover.from': erased?.ownerId, 'handover.at': new Date() };
    await chat.conversationModel.updateOne({ _id: other.id }, { $set: passing });
    await gone(id);
  };

  /** `erase` runs after the send has read the conversation, and removes the messages stored so far. */
  const outlive = async (talk: Talk, erase: (id: string) => unknown) => {
    const { sentMessages } = chat.deps;
    const insert: typeof sentMessages.insert = async (send) => {
      await chat.model.deleteMany({ conversationId: talk.id });
      await erase(talk.id);
      return sentMessages.insert(send);
    };
    return cut(talk, { sentMessages: { ...sentMessages, insert } });
  };

  const expectNothingLeft = async (talk: Talk, replyId: string) => {
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(0);
    expect(chat.quota.at(-1)).toBe(`release ${replyId} 1`);
    const left = [`search ${talk.id}`, `files ${talk.id}`, `log ${replyId}`];
    expect(chat.erased).toEqual(expect.arrayContaining(left));
  };

  it.each([
    ['is erased', gone],
    ['is being erased', erasing],
    ['is erased while another one of its owner passes on', goneBesideHandover],
  ])('is erased when the conversation %s', async (_, erase) => {
    const talk = await chat.start();
    await talk.say('One');
    const { replyId } = await outlive(talk, erase);
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(2);
    const reply = await stored(replyId);
    expect(await chat.deps.completeSend(reply)).toBe(false);
    await expectNothingLeft(talk, replyId);
    // Another process read the reply before.
    expect(await chat.deps.completeSend(reply)).toBe(false);
    await expectNothingLeft(talk, replyId);
  });

  it('is erased when it regenerates a reply', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('One');
    const { sentMessages } = chat.deps;
    const insertSibling: typeof sentMessages.insertSibling = async (send) => {
      await chat.model.deleteMany({ conversationId: talk.id });
      await gone(talk.id);
      return sentMessages.insertSibling(send);
    };
    const again = await chat
      .service({ sentMessages: { ...sentMessages, insertSibling } })
      .regenerate(talk.actor, reply.id);
    expect(await chat.deps.completeSend(await stored(again.id))).toBe(false);
    await expectNothingLeft(talk, again.id);
  });

  it('is erased by the next process when the first one is cut', async () => {
    const talk = await chat.start();
    const { replyId } = await outlive(talk, gone);
    const dying = chat.featureWith({ usage: { ...chat.deps.usage, release: down } });
    await expect(completeSend(dying, await stored(replyId))).rejects.toThrow('died');
    await chat.deps.completeSend(await stored(replyId));
    await expectNothingLeft(talk, replyId);
  });

  it('stays when the conversation is deleted and not erased: it may be restored', async () => {
    const talk = await chat.start();
    const { replyId } = await outlive(talk, (id) =>
      chat.conversationModel.updateOne({ _id: id }, { deletedAt: new Date() }),
    );
    await chat.deps.completeSend(await stored(replyId));
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(2);
  });
});

it('a send that is refused marks no file as used', async () => {
  const talk = await chat.start();
  const uses: string[] = [];
  const files = {
    ...chat.deps.files,
    selectForMessage: async () => ({ files: [], fileIds: ['f'], textBytes: 0, images: 0 }),
    addUse: async () => void uses.push('f'),
  };
  const send = () =>
    chat.service({ files }).send(talk.actor, {
      conversationId: talk.id,
      content: 'Look',
      // Another branch than that of the running reply.
      parentId: null,
      files: [{ id: newId() }],
    });
  const { reply } = await talk.send('One');
  await expect(send()).rejects.toMatchObject({ code: 'reply_in_progress' });
  expect(uses).toEqual([]);
  expect(chat.quota.at(-1)).toMatch(/^release/);
  await chat.end(reply.id);
  await send();
  expect(uses).toEqual(['f']);
});

it('a send whose files cannot be marked as used stores nothing: they would be deleted as unused', async () => {
  const talk = await chat.start();
  const files = {
    ...chat.deps.files,
    selectForMessage: async () => ({ files: [], fileIds: ['f'], textBytes: 0, images: 0 }),
    addUse: down,
  };
  const send = { conversationId: talk.id, content: 'Look', files: [{ id: newId() }] };
  await expect(chat.service({ files }).send(talk.actor, send)).rejects.toThrow('died');
  expect(await contents(talk)).toEqual([]);
  await expect.poll(() => chat.quota.at(-1)).toMatch(/^release/);
});

describe('a repeated send', () => {
  it('is answered only once the database cannot lose the stored message', async () => {
    const talk = await chat.start();
    const key = randomUUID();
    const { reply } = await talk.send('Once only', { key });
    const service = chat.service({ sentMessages: { ...chat.deps.sentMessages, confirm: down } });
    const repeat = () =>
      service.send(talk.actor, {
        conversationId: talk.id,
        content: 'Once only',
        clientMessageId: key,
      });
    await expect(repeat()).rejects.toThrow('died');
    await chat.end(reply.id);
    await expect(repeat()).rejects.toThrow('died');
  });

  it('twenty times at once is one message and one reservation that stays', async () => {
    const talk = await chat.start();
    const key = randomUUID();
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => talk.send('Once only', { key })),
    );
    const { replyId } = sentMessageIds(talk.id, key);
    expect(new Set(sent.map(({ reply, message }) => `${reply.id} ${message.content}`))).toEqual(
      new Set([`${replyId} Once only`]),
    );
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(2);
    expect(chat.quota).not.toContain(`release ${replyId} 1`);
  });

  it('answers the same after its reply has ended, and reserves nothing', async () => {
    const talk = await chat.start();
    const key = randomUUID();
    const { message, reply } = await talk.send('Once only', { key });
    await chat.end(reply.id, 'Done');
    await talk.regenerate(reply.id);
    const again = await talk.send('Once only', { key });
    expect(again.message).toEqual(message);
    expect(again.reply).toMatchObject({ id: reply.id, status: 'complete', content: 'Done' });
    expect(chat.quota.filter((entry) => entry.includes(reply.id))).toHaveLength(1);
    expect(await leafOf(talk)).not.toBe(reply.id);
  });

  it.each([
    ['has ended', (replyId: string) => chat.end(replyId), 'complete'],
    [
      'has come to a later attempt',
      async (replyId: string) => {
        await chat.model.updateOne({ _id: replyId }, { $set: { attempt: 2 } });
      },
      'queued',
    ],
  ])('that loses a race to a reply that %s releases its reservation', async (_, then, status) => {
    const talk = await chat.start();
    const key = randomUUID();
    const { replyId } = sentMessageIds(talk.id, key);
    const { sentMessages } = chat.deps;
    const insert: typeof sentMessages.insert = async (send) => {
      await sentMessages.insert(send);
      await then(send.ids.replyId);
      return sentMessages.insert(send);
    };
    const body = { conversationId: talk.id, content: 'Two', clientMessageId: key };
    const sent = await chat
      .service({ sentMessages: { ...sentMessages, insert } })
      .send(talk.actor, body);
    expect(sent.reply).toMatchObject({ id: replyId, status });
    expect(chat.quota.at(-1)).toBe(`release ${replyId} 1`);
  });

  it('accepts one of two different concurrent messages', async () => {
    const talk = await chat.start();
    const results = await Promise.allSettled([talk.send('One'), talk.send('Two')]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(2);
  });

  it('of another user under the same ids answers 404', async () => {
    const talk = await chat.start();
    const key = randomUUID();
    await talk.send('Private', { key });
    const other = (await chat.start()).actor;
    await expect(
      chat.service().send(other, { conversationId: talk.id, content: 'x', clientMessageId: key }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      chat.service().send(other, { conversationId: newId(), content: 'x', clientMessageId: key }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a conversation with its first message', () => {
  const first = (content = 'One') => ({
    title: 'A talk',
    clientConversationId: randomUUID(),
    message: { content, clientMessageId: randomUUID() },
  });

  it('is one conversation, one message and one job, even when it is sent ten times at once', async () => {
    const actor = actorOf(newId());
    const body = first();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => chat.service().sendFirst(actor, body)),
    );
    const [{ id, sent } = { id: '', sent: undefined }] = all;
    expect(new Set(all.map((created) => created.id)).size).toBe(1);
    expect(new Set(all.map((created) => created.sent?.reply.id)).size).toBe(1);
    expect(await chat.conversationModel.countDocuments({ ownerId: actor.userId })).toBe(1);
    expect(await chat.model.countDocuments({ conversationId: id })).toBe(2);
    expect(new Set(chat.jobs.filter((jobId) => jobId === sent?.reply.id)).size).toBe(1);
    expect(await leafOf({ id, actor } as Talk)).toBe(sent?.reply.id);
  });

  it('that is refused exists, its tabs are notified, and the next send uses it', async () => {
    const actor = actorOf(newId());
    const body = first();
    const reserve = () => Promise.reject(new Error('All used up.'));
    const refusing = chat.service({ usage: { ...chat.deps.usage, reserve } });
    await expect(refusing.sendFirst(actor, body)).rejects.toThrow('All used up.');
    const heard = chat.events.filter(({ userId }) => userId === actor.userId);
    expect(heard.map(({ event }) => event)).toEqual(['conversation:changed']);
    const { id } = await chat.service().sendFirst(actor, body);
    expect(heard[0]?.payload).toMatchObject({ id, activeLeafId: null });
  });

  it('that is cut before its message is stored is completed when it is repeated', async () => {
    const actor = actorOf(newId());
    const body = first();
    const cutOff = chat.service({ sentMessages: { ...chat.deps.sentMessages, insert: down } });
    await expect(cutOff.sendFirst(actor, body)).rejects.toThrow('died');
    const { id, sent } = await chat.service().sendFirst(actor, body);
    expect(await chat.conversationModel.countDocuments({ ownerId: actor.userId })).toBe(1);
    expect((await list({ actor, id } as Talk)).map((message) => message.id)).toEqual([
      sent?.message.id,
      sent?.reply.id,
    ]);
  });

  it('is not stored when the user has exceeded the rate limit', async () => {
    const actor = actorOf(newId());
    const admitted = Promise.reject(new Error('Too many tries.'));
    const sending = chat.service().sendFirst(actor, { ...first(), admitted });
    await expect(sending).rejects.toThrow('Too many tries.');
    expect(await chat.conversationModel.countDocuments({ ownerId: actor.userId })).toBe(0);
  });

  it('with the id of a deleted conversation is refused', async () => {
    const actor = actorOf(newId());
    const body = first();
    const { id } = await chat.service().sendFirst(actor, body);
    await chat.conversationModel.updateOne({ _id: id }, { $set: { deletedAt: new Date() } });
    const again = { ...body, message: { content: 'Two', clientMessageId: randomUUID() } };
    await expect(chat.service().sendFirst(actor, again)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
