import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type MessageDocument, toReply } from '../src/features/chat/messages/index.ts';
import { actorOf, type Chat, newId, openChat, type Talk } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

const ADA = { id: newId(), name: 'Ada', version: 2 };
const BEN = { id: newId(), name: 'Ben', version: 1 };

const measure = () => Promise.reject(new Error('A send measures no persona.'));

type Changes = NonNullable<Parameters<Chat['service']>[0]>;

/** A feature whose users all have Ada and Ben; `gone` are deleted. */
const withPersonas = (changes: Changes = {}, gone: string[] = []) =>
  chat.service({
    personas: {
      choose: async (_ownerId, id) => {
        const found = [ADA, BEN].find((persona) => persona.id === id && !gone.includes(id));
        return found ? { ...found, hasFiles: false, measure } : null;
      },
    },
    ...changes,
  });

const stored = async (id: string) => {
  const doc = await chat.model.findById(id).lean<MessageDocument>();
  if (!doc) throw new Error('There is no such reply.');
  return toReply(doc);
};
const remembered = async ({ id, actor }: Talk) => {
  const conversation = await chat.deps.conversations.find({ id, ownerId: actor.userId });
  return conversation && { personaId: conversation.personaId, depth: conversation.depth };
};
const send = (talk: Talk, fields: object, service = withPersonas()) =>
  service.send(talk.actor, { conversationId: talk.id, content: 'Hello', ...fields });

describe('a send', () => {
  it('without settings has the defaults, and stores no settings', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, {});
    expect(reply.persona).toBeUndefined();
    expect(await chat.model.findById(reply.id).lean()).not.toHaveProperty('settings');
    expect((await stored(reply.id)).settings).toEqual({
      persona: null,
      depth: 'balanced',
      memory: 'on',
      temporary: false,
    });
  });

  it('stores its choices, and its conversation uses them for the next ones', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, { personaId: ADA.id, depth: 'deep' });
    expect(reply.persona).toEqual(ADA);
    expect((await stored(reply.id)).settings).toMatchObject({ persona: ADA, depth: 'deep' });
    expect(await remembered(talk)).toEqual({ personaId: ADA.id, depth: 'deep' });
    expect(chat.events.at(-1)?.payload).toMatchObject({ personaId: ADA.id, depth: 'deep' });
    await chat.end(reply.id);
    const next = await send(talk, {});
    expect(next.reply.persona).toEqual(ADA);
    expect((await stored(next.reply.id)).settings.depth).toBe('deep');
    await chat.end(next.reply.id);
    const without = await send(talk, { personaId: null, depth: 'fast' });
    expect(without.reply.persona).toBeUndefined();
    expect(await remembered(talk)).toEqual({ personaId: null, depth: 'fast' });
  });

  it('reserves for the persona', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, {});
    await chat.end(reply.id);
    await send(talk, { personaId: ADA.id });
    const [plain, withPersona] = chat.reserved.slice(-2) as { promptTokens: number }[];
    expect((withPersona?.promptTokens ?? 0) - (plain?.promptTokens ?? 0)).toBeGreaterThan(900);
  });

  it('to a persona that the user does not have is refused before anything is reserved', async () => {
    const talk = await chat.start();
    const before = chat.quota.length;
    await expect(send(talk, { personaId: newId() })).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'personaId' },
    });
    expect(chat.quota).toHaveLength(before);
    expect(await remembered(talk)).toEqual({ personaId: null, depth: 'balanced' });
  });

  it('continues without the stored persona when that was deleted', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, { personaId: ADA.id });
    await chat.end(reply.id);
    const next = await send(talk, {}, withPersonas({}, [ADA.id]));
    expect(next.reply.persona).toBeUndefined();
  });

  it('that is repeated answers the same, even when the persona was deleted meanwhile', async () => {
    const talk = await chat.start();
    const fields = { personaId: ADA.id, clientMessageId: randomUUID() };
    const first = await send(talk, fields);
    expect(await send(talk, fields, withPersonas({}, [ADA.id]))).toEqual(first);
  });

  it('that is cut before the leaf moves is remembered once it is completed', async () => {
    const talk = await chat.start();
    const down = () => Promise.reject(new Error('The process died here.'));
    const broken = withPersonas({ conversations: { ...chat.deps.conversations, moveLeaf: down } });
    const { reply } = await send(talk, { personaId: ADA.id, depth: 'deep' }, broken);
    expect(await remembered(talk)).toEqual({ personaId: null, depth: 'balanced' });
    await chat.deps.completeSend(await stored(reply.id));
    expect(await remembered(talk)).toEqual({ personaId: ADA.id, depth: 'deep' });
  });

  it('that is completed late reverts no later choice', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, { personaId: ADA.id });
    const late = await stored(reply.id);
    await chat.conversations.update(talk.actor, talk.id, { personaId: BEN.id });
    await chat.deps.completeSend(late);
    expect(await remembered(talk)).toMatchObject({ personaId: BEN.id });
  });

  it('that a worker completes before its own request does reverts no later choice', async () => {
    const talk = await chat.start();
    const enqueue: Changes['enqueue'] = async (reply) => {
      await chat.deps.completeSend(reply);
      await chat.conversations.update(talk.actor, talk.id, { personaId: BEN.id });
    };
    await send(talk, { personaId: ADA.id }, withPersonas({ enqueue }));
    expect(await remembered(talk)).toMatchObject({ personaId: BEN.id });
  });

  it('of a first message sets them for the new conversation', async () => {
    const actor = actorOf(newId());
    const message = { content: 'Hello', personaId: ADA.id, depth: 'deep' as const };
    const created = await withPersonas().sendFirst(actor, { title: 'New', message });
    expect(created.sent?.reply.persona).toEqual(ADA);
    expect(
      await chat.deps.conversations.find({ id: created.id, ownerId: actor.userId }),
    ).toMatchObject({
      personaId: ADA.id,
      depth: 'deep',
    });
  });
});

describe('a regenerated reply', () => {
  it("has the current version of its message's persona, and the depth of the conversation", async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, { personaId: ADA.id, depth: 'deep' });
    await chat.end(reply.id);
    const changes = { personaId: BEN.id, depth: 'fast' as const, memory: 'off' as const };
    await chat.conversations.update(talk.actor, talk.id, changes);
    const again = await withPersonas().regenerate(talk.actor, reply.id);
    expect(again.persona).toEqual(ADA);
    expect((await stored(again.id)).settings).toMatchObject({ depth: 'fast', memory: 'off' });
  });

  it('has none when its persona was deleted', async () => {
    const talk = await chat.start();
    const { reply } = await send(talk, { personaId: ADA.id });
    await chat.end(reply.id);
    const again = await withPersonas({}, [ADA.id]).regenerate(talk.actor, reply.id);
    expect(again.persona).toBeUndefined();
  });
});

describe('changing a conversation', () => {
  it('sets persona, depth and memory of the next replies, each separately', async () => {
    const talk = await chat.start();
    const { conversations } = chat;
    expect(await conversations.update(talk.actor, talk.id, { personaId: ADA.id })).toMatchObject({
      title: 'A talk',
      personaId: ADA.id,
      depth: 'balanced',
      memory: 'on',
      temporary: false,
    });
    const changed = await conversations.update(talk.actor, talk.id, { memory: 'read_only' });
    expect(changed).toMatchObject({ personaId: ADA.id, memory: 'read_only' });
    const { reply } = await send(talk, {});
    expect((await stored(reply.id)).settings).toMatchObject({ persona: ADA, memory: 'read_only' });
  });

  it('of another user changes nothing', async () => {
    const talk = await chat.start();
    const stranger = actorOf(newId());
    await expect(
      chat.conversations.update(stranger, talk.id, { depth: 'deep' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await remembered(talk)).toMatchObject({ depth: 'balanced' });
  });
});

// Prompts have 16,000 tokens here.
describe('a reservation', () => {
  const promptTokens = () =>
    (chat.reserved.at(-1) as { promptTokens: number } | undefined)?.promptTokens ?? 0;
  /** The prompt of the first message of a conversation without memories, persona and files. */
  const plainPrompt = async () => {
    const talk = await chat.start();
    await chat.conversationModel.updateOne({ _id: talk.id }, { $set: { memory: 'off' } });
    await send(talk, {}, chat.service());
    return promptTokens();
  };

  it('has the maximum of memories, also for a regenerated reply', async () => {
    const plain = await plainPrompt();
    const talk = await chat.start();
    const service = chat.service();
    const { reply } = await send(talk, {}, service);
    expect(promptTokens()).toBe(plain + 800);
    await chat.end(reply.id);
    await service.regenerate(talk.actor, reply.id);
    expect(promptTokens()).toBe(plain + 800);
  });

  it('has the maximum of a persona and the files of its knowledge', async () => {
    const plain = await plainPrompt();
    const persona = { ...ADA, hasFiles: true, measure };
    const service = chat.service({ personas: { choose: async () => persona } });
    await send(await chat.start(), { personaId: ADA.id }, service);
    expect(promptTokens()).toBe(plain + 800 + 2_000 + 12_000);
  });
});
