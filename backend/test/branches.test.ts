import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SentMessage } from '../src/contract/messages.ts';
import { updateConversation } from '../src/features/chat/conversations/index.ts';
import { actorOf, type Chat, newId, openChat, type Talk } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

const list = (talk: Talk) => chat.pages.list(talk.actor, { conversationId: talk.id, limit: 200 });
const contents = async (talk: Talk) => (await list(talk)).map(({ content }) => content);
const eventsOf = (talk: Talk, name: string) =>
  chat.events.filter(({ userId, event }) => userId === talk.actor.userId && event === name);
const keyOf = (talk: Talk) => ({ id: talk.id, ownerId: talk.actor.userId });
const leafOf = async (talk: Talk) =>
  (await chat.deps.conversations.find(keyOf(talk)))?.activeLeafId;
const quotaOf = (replyId: string) => chat.quota.filter((entry) => entry.includes(replyId));

describe('sending', () => {
  it('appends to the active leaf', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const second = await talk.say('Two');
    expect(await list(talk)).toMatchObject([
      { id: first.message.id, parentId: null, content: 'One', siblingIds: [first.message.id] },
      { id: first.reply.id, parentId: first.message.id, content: 'Reply to One' },
      { id: second.message.id, parentId: first.reply.id },
      { id: second.reply.id, parentId: second.message.id, siblingIds: [second.reply.id] },
    ]);
    expect(await leafOf(talk)).toBe(second.reply.id);
  });

  it('under the parent of an earlier message creates a sibling of it and deletes nothing', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const second = await talk.say('Two');
    const third = await talk.say('Three');
    const edited = await talk.say('Two, edited', first.reply.id);
    const siblingIds = [second.message.id, edited.message.id];
    expect(edited.message.siblingIds).toEqual(siblingIds);
    expect(await contents(talk)).toEqual([
      'One',
      'Reply to One',
      'Two, edited',
      'Reply to Two, edited',
    ]);
    expect((await list(talk))[2]?.siblingIds).toEqual(siblingIds);
    await chat.conversations.update(talk.actor, talk.id, { activeLeafId: second.message.id });
    expect((await contents(talk)).at(-2)).toBe('Three');
    expect(await leafOf(talk)).toBe(third.reply.id);
  });

  it('with parentId null creates another first message', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const other = await talk.say('One, edited', null);
    expect(other.message).toMatchObject({
      parentId: null,
      siblingIds: [first.message.id, other.message.id],
    });
    expect(await contents(talk)).toEqual(['One, edited', 'Reply to One, edited']);
  });

  it('refuses a parent that is unknown, of another conversation, of another user, or a user message', async () => {
    const talk = await chat.start();
    const { message } = await talk.say('One');
    const elsewhere = await (await chat.start(talk.actor)).say('Elsewhere');
    const foreign = await (await chat.start()).say('Foreign');
    for (const parentId of [newId(), elsewhere.reply.id, foreign.reply.id])
      await expect(talk.send('Two', { parentId })).rejects.toMatchObject({ code: 'not_found' });
    await expect(talk.send('Two', { parentId: message.id })).rejects.toMatchObject({
      code: 'invalid_field',
      details: { field: 'parentId' },
    });
    expect(await contents(talk)).toEqual(['One', 'Reply to One']);
  });

  it('while a reply runs is refused on every branch and keeps no reservation', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    await talk.send('Two');
    const key = randomUUID();
    for (const parentId of [undefined, null, first.reply.id])
      await expect(talk.send('Three', { parentId, key })).rejects.toMatchObject({
        code: 'reply_in_progress',
      });
    const taken = chat.quota.filter((entry) => !entry.includes(first.reply.id)).slice(-4);
    const [, replyId] = taken.at(-1)?.split(' ') ?? [];
    expect(taken).toEqual([
      `reserve ${replyId} 1`,
      `release ${replyId} 1`,
      `reserve ${replyId} 1`,
      `release ${replyId} 1`,
    ]);
    // Below the running reply nothing is reserved.
    expect(chat.quota.filter((entry) => entry.includes(` ${replyId} `))).toHaveLength(4);
  });

  it('reserves the path and the maximum reply, and stores the reservation', async () => {
    const talk = await chat.start();
    await talk.say('x'.repeat(400));
    const { reply } = await talk.say('y'.repeat(4_000));
    const [first, second] = chat.reserved.slice(-2) as {
      promptTokens: number;
      replyTokens: number;
    }[];
    const replyLength = 'Reply to '.length + 400;
    expect((second?.promptTokens ?? 0) - (first?.promptTokens ?? 0)).toBe(
      Math.ceil((400 + replyLength + 4_000) / 3) - Math.ceil(400 / 3) + 2 * 4,
    );
    expect(first?.replyTokens).toBe(4_096);
    expect((await chat.model.findById(reply.id).lean())?.reserved).toMatchObject({
      promptTokens: second?.promptTokens,
      replyTokens: 1_000,
    });
    const sent = await talk.send('z'.repeat(80_000));
    expect((chat.reserved.at(-1) as { promptTokens: number }).promptTokens).toBe(16_000);
    expect(quotaOf(sent.reply.id)).toEqual([`reserve ${sent.reply.id} 1`]);
  });

  it('reserves the files of a message with every prompt that holds it', async () => {
    const talk = await chat.start();
    const files = {
      ...chat.deps.files,
      selectForMessage: async () => ({
        files: [{ id: newId() }],
        fileIds: [newId()],
        textBytes: 9_000,
        images: 1,
      }),
      addUse: async () => undefined,
    };
    const { reply } = await chat.service({ files }).send(talk.actor, {
      conversationId: talk.id,
      content: 'abc',
      files: [{ id: newId() }],
    });
    const tokensOf = (at: number) =>
      (chat.reserved.at(at) as { promptTokens: number } | undefined)?.promptTokens;
    // 200 for the system prompt and 4 for the message; 3 bytes a token; 1,100 tokens for the image; 800 for memories.
    expect(tokensOf(-1)).toBe(200 + 4 + 1 + 3_000 + 1_100 + 800);
    await chat.end(reply.id);
    await chat.service().regenerate(talk.actor, reply.id);
    expect(tokensOf(-1)).toBe(200 + 4 + 1 + 3_000 + 1_100 + 800);
  });

  it('counts the path of a reply that ended without a length', async () => {
    const talk = await chat.start();
    const { message, reply } = await talk.say('x'.repeat(4_000));
    await chat.model.updateOne(
      { _id: reply.id },
      { $unset: { pathLength: 1 }, $set: { content: 'ab' } },
    );
    const next = await talk.send('cd');
    const lengths = await chat.model.find({ _id: { $in: [message.id, next.message.id] } }).lean();
    expect(new Set(lengths.map(({ pathLength }) => pathLength))).toEqual(new Set([4_000, 4_004]));
  });
});

describe('regenerating', () => {
  it('creates a sibling reply, which becomes the active leaf; the earlier one stays', async () => {
    const talk = await chat.start();
    const { message, reply } = await talk.say('One');
    const again = await talk.regenerate(reply.id);
    expect(again).toMatchObject({
      parentId: message.id,
      siblingIds: [reply.id, again.id],
      status: 'queued',
      content: '',
      attempt: 0,
    });
    expect(await contents(talk)).toEqual(['One', 'Another answer']);
    expect((await chat.model.findById(reply.id).lean())?.content).toBe('Reply to One');
    expect(chat.jobs.at(-1)).toBe(again.id);
    expect(quotaOf(again.id)).toEqual([`reserve ${again.id} 1`]);
    expect(eventsOf(talk, 'message:created').at(-1)?.payload).toMatchObject({
      message: { id: message.id, siblingIds: [message.id] },
      reply: { id: again.id },
    });
    expect(eventsOf(talk, 'conversation:changed').at(-1)?.payload).toMatchObject({
      activeLeafId: again.id,
    });
  });

  it('of a reply in the middle begins a branch there', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    await talk.say('Two');
    const again = await talk.regenerate(first.reply.id);
    await talk.say('Two, after another answer');
    expect(await contents(talk)).toEqual([
      'One',
      'Another answer',
      'Two, after another answer',
      'Reply to Two, after another answer',
    ]);
    expect((await list(talk))[1]?.siblingIds).toEqual([first.reply.id, again.id]);
  });

  it('repeated with the id of the client is one reply, even after that has ended', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('One');
    const clientReplyId = randomUUID();
    const regenerate = () => chat.service().regenerate(talk.actor, reply.id, { clientReplyId });
    const answers = await Promise.all(Array.from({ length: 10 }, regenerate));
    const [first] = answers;
    const siblingIds = [reply.id, first?.id ?? ''];
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([first?.id]));
    await chat.end(first?.id ?? '', 'Another answer');
    await talk.say('Two');
    expect(await regenerate()).toMatchObject({ siblingIds, content: 'Another answer' });
    expect(await chat.model.countDocuments({ conversationId: talk.id })).toBe(5);
    expect(quotaOf(first?.id ?? '').filter((entry) => entry.startsWith('release'))).toEqual([]);
    const other = await talk.regenerate(reply.id);
    expect(siblingIds).not.toContain(other.id);
  });

  it('under an id that regenerated another message is another reply', async () => {
    const talk = await chat.start();
    const [one, two] = [await talk.say('One'), await talk.say('Two')];
    const clientReplyId = randomUUID();
    const ids: string[] = [];
    for (const { reply } of [one, two]) {
      const again = await chat.service().regenerate(talk.actor, reply.id, { clientReplyId });
      await chat.end(again.id);
      ids.push(again.id, again.parentId ?? '');
    }
    expect(new Set(ids).size).toBe(4);
    expect([ids[1], ids[3]]).toEqual([one.message.id, two.message.id]);
  });

  it('is refused while a reply of the conversation runs, and keeps no reservation', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('One');
    const running = await talk.send('Two');
    const before = chat.quota.length;
    for (const id of [running.reply.id, reply.id])
      await expect(talk.regenerate(id)).rejects.toMatchObject({ code: 'reply_in_progress' });
    // Only the other one's reservation and release.
    expect(chat.quota).toHaveLength(before + 2);
    const [reserve, release] = chat.quota.slice(-2);
    expect([reserve?.replace('reserve', 'release')]).toEqual([release]);
  });

  it('of a reply of another user, or of a user message, answers 404', async () => {
    const talk = await chat.start();
    const { message, reply } = await talk.say('One');
    const other = chat.service();
    for (const [actor, id] of [
      [actorOf(newId()), reply.id],
      [talk.actor, message.id],
      [talk.actor, newId()],
    ] as const)
      await expect(other.regenerate(actor, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('selecting a branch', () => {
  it('shows the newest leaf below the message, in every tab', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const second = await talk.say('Two');
    const other = await talk.say('Other', null);
    const select = (activeLeafId: string) =>
      chat.conversations.update(talk.actor, talk.id, { activeLeafId });
    expect(await leafOf(talk)).toBe(other.reply.id);
    for (const id of [first.message.id, first.reply.id, second.message.id, second.reply.id]) {
      await select(other.message.id);
      const before = await chat.deps.conversations.find(keyOf(talk));
      expect(await select(id)).toMatchObject({
        activeLeafId: second.reply.id,
        updatedAt: before?.updatedAt.toISOString(),
      });
    }
    expect(eventsOf(talk, 'conversation:changed').at(-1)?.payload).toMatchObject({
      activeLeafId: second.reply.id,
    });
    const again = await talk.regenerate(first.reply.id);
    await select(other.reply.id);
    expect(await select(first.message.id)).toMatchObject({ activeLeafId: again.id });
    expect(await select(first.reply.id)).toMatchObject({ activeLeafId: second.reply.id });
  });

  it('is refused while a reply runs', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    const { reply } = await talk.send('Other', { parentId: null });
    await expect(
      chat.conversations.update(talk.actor, talk.id, { activeLeafId: first.reply.id }),
    ).rejects.toMatchObject({ code: 'reply_in_progress' });
    expect(await leafOf(talk)).toBe(reply.id);
  });

  it('answers 404 for a message of another conversation or user', async () => {
    const talk = await chat.start();
    const { reply } = await talk.say('One');
    const foreign = await (await chat.start()).say('Foreign');
    for (const activeLeafId of [foreign.reply.id, newId()])
      await expect(
        chat.conversations.update(talk.actor, talk.id, { activeLeafId }),
      ).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      chat.conversations.update(actorOf(newId()), talk.id, { activeLeafId: reply.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('yields to a send that was stored at the same time', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    await talk.say('Other', null);
    // The branch is selected after the send has read the conversation.
    const { usage } = chat.deps;
    const reserve: typeof usage.reserve = async (...args) => {
      await chat.conversations.update(talk.actor, talk.id, { activeLeafId: first.reply.id });
      return usage.reserve(...args);
    };
    const service = chat.service({ usage: { ...usage, reserve } });
    const sent = await service.send(talk.actor, { conversationId: talk.id, content: 'Two' });
    expect(await leafOf(talk)).toBe(sent.reply.id);
  });

  it('stays as it is when the reply of that send has ended by then', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    await talk.say('Other', null);
    const { messages, usage } = chat.deps;
    const reserve: typeof usage.reserve = async (...args) => {
      await chat.conversations.update(talk.actor, talk.id, { activeLeafId: first.reply.id });
      return usage.reserve(...args);
    };
    const activeReplyId = async () => null;
    const service = chat.service({
      messages: { ...messages, activeReplyId },
      usage: { ...usage, reserve },
    });
    await service.send(talk.actor, { conversationId: talk.id, content: 'Two' });
    expect(await leafOf(talk)).toBe(first.reply.id);
  });

  it('reads again when a send was stored in between', async () => {
    const talk = await chat.start();
    const first = await talk.say('One');
    await talk.say('Other', null);
    const { messages } = chat.deps;
    let sent: SentMessage | undefined;
    const racing = chat.featureWith({
      messages: {
        ...messages,
        newestLeafBelow: async (message: Parameters<typeof messages.newestLeafBelow>[0]) => {
          sent ??= await talk.send('Two');
          return messages.newestLeafBelow(message);
        },
      },
    });
    await expect(
      updateConversation(racing, talk.actor, { id: talk.id, activeLeafId: first.reply.id }),
    ).rejects.toMatchObject({ code: 'reply_in_progress' });
    expect(await leafOf(talk)).toBe(sent?.reply.id);
  });
});

describe('fault 25: with clocks five seconds apart', () => {
  it('keeps the order of the tree, of siblings, and of what is newest', async () => {
    const talk = await chat.start();
    const at = (ms: number) => chat.service({ now: () => new Date(Date.now() + ms) });
    const say = async (ms: number, content: string, parentId?: string | null) => {
      const sent = await at(ms).send(talk.actor, { conversationId: talk.id, content, parentId });
      await chat.end(sent.reply.id);
      return sent;
    };
    const ahead = await say(5_000, 'One');
    const behind = await say(0, 'Two');
    expect(await contents(talk)).toEqual(['One', 'An answer', 'Two', 'An answer']);
    const edited = await say(5_000, 'Edited by the fast clock', ahead.reply.id);
    const editedAgain = await say(-5_000, 'Edited by the slow clock', ahead.reply.id);
    expect(editedAgain.message.siblingIds).toEqual([
      behind.message.id,
      edited.message.id,
      editedAgain.message.id,
    ]);
    expect((await list(talk))[2]?.siblingIds).toEqual(editedAgain.message.siblingIds);
    const last = await at(-5_000).regenerate(talk.actor, edited.reply.id);
    await chat.end(last.id);
    expect(last.siblingIds).toEqual([edited.reply.id, last.id]);
    const selected = await chat.conversations.update(talk.actor, talk.id, {
      activeLeafId: ahead.message.id,
    });
    expect(selected.activeLeafId).toBe(last.id);
    const updatedAt = selected.updatedAt;
    const next = await say(-5_000, 'Three');
    const moved = await chat.deps.conversations.find(keyOf(talk));
    expect(moved?.updatedAt.getTime()).toBeGreaterThan(Date.parse(updatedAt));
    expect(moved?.activeLeafId).toBe(next.reply.id);
  });
});
