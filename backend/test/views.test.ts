import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, can, userPrincipal } from '../src/access/index.ts';
import type { CreatedMessage } from '../src/contract/messages.ts';
import type { RecordRole } from '../src/contract/roles.ts';
import {
  eraseDeleted,
  listConversations,
  markRead,
  publishLostAccess,
  readPeople,
  replaceGrants,
  updateConversation,
} from '../src/features/chat/conversations/index.ts';
import { findMentions } from '../src/features/chat/conversations/mentions.ts';
import type { ChatFeature, Others } from '../src/features/chat/feature.ts';
import {
  completeSend,
  readMessages,
  regenerateReply,
  sendMessage,
} from '../src/features/chat/messages/index.ts';
import { actorOf, type Chat, newId, openChat } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

/** A conversation with one reply, shared with an editor, another editor and a viewer. */
async function openTogether() {
  const names = new Map<string, string>();
  const person = (name: string) => {
    const actor = actorOf(newId());
    names.set(actor.userId, name);
    return actor;
  };
  const [ada, bob, cy, vera, foreign] = ['Ada', 'Bob', 'Cy', 'Vera', 'Foreign Fay'].map(person) as [
    Actor,
    Actor,
    Actor,
    Actor,
    Actor,
  ];
  const workspaces = {
    names: async () => (id: string) => names.get(id) ?? 'Former member',
    colleagues: async () => new Set(names.keys()),
    places: async () => [],
    poolFor: async () => null,
    poolsOf: async () => [],
  } as unknown as Others['workspaces'];
  const feature = chat.featureWith({ workspaces });
  const { id } = await chat.conversations.create(ada, { title: 'A talk' });
  const share = (to: [Actor, RecordRole][]) =>
    replaceGrants(feature, ada, {
      id,
      grants: to.map(([{ userId }, role]) => ({ userId, role })),
    });
  const say = async (by: Actor, content: string, parentId?: string | null) => {
    const sent = await sendMessage(feature, by, { conversationId: id, content, parentId });
    await chat.end(sent.reply.id, `Reply to ${content}`);
    return sent;
  };
  const first = await say(ada, 'One');
  await share([
    [bob, 'editor'],
    [cy, 'editor'],
    [vera, 'viewer'],
  ]);
  const shown = async (by: Actor) =>
    (await readMessages(feature, by, { conversationId: id, limit: 50 })).map(
      ({ content }) => content,
    );
  const listed = async (by: Actor) =>
    (await listConversations(feature, by, {})).find((one) => one.id === id);
  const choose = (by: Actor, activeLeafId: string) =>
    updateConversation(feature, by, { id, activeLeafId });
  const views = () => feature.views.inConversation(id);
  return {
    ada,
    bob,
    cy,
    vera,
    foreign,
    feature,
    id,
    share,
    say,
    first,
    shown,
    listed,
    choose,
    views,
  };
}

type Together = Awaited<ReturnType<typeof openTogether>>;

/** The last `message:created` of each of these: whether it is on another branch than they see. */
const elsewhere = (users: Actor[]) =>
  users.map(({ userId }) => {
    const created = chat.events.filter(
      ({ event, userId: to }) => event === 'message:created' && to === userId,
    );
    return (created.at(-1)?.payload as CreatedMessage | undefined)?.elsewhere ?? false;
  });

describe('the branch of each member', () => {
  it('is the own one: an edited message moves its author only, and what is sent next follows it', async () => {
    const { ada, bob, cy, vera, say, shown, listed } = await openTogether();
    const edited = await say(bob, 'One, edited', null);
    expect(elsewhere([ada, bob, cy, vera])).toEqual([true, false, true, true]);
    expect((await listed(bob))?.activeLeafId).toBe(edited.reply.id);
    for (const reader of [ada, cy, vera])
      expect(await shown(reader)).toEqual(['One', 'Reply to One']);
    const next = await say(bob, 'Two');
    expect(next.message.parentId).toBe(edited.reply.id);
    expect(await shown(bob)).toEqual([
      'One, edited',
      'Reply to One, edited',
      'Two',
      'Reply to Two',
    ]);
    expect(await shown(ada)).toEqual(['One', 'Reply to One']);
  });

  it('moves along with what continues it, whoever writes, and those without one see the branch of the owner', async () => {
    const { ada, bob, cy, vera, say, shown, first, choose } = await openTogether();
    await say(bob, 'Two');
    expect(elsewhere([ada, bob, cy, vera])).toEqual([false, false, false, false]);
    expect((await shown(ada)).at(-2)).toBe('Two');
    // Bob has a branch of his own by now, Vera none.
    await say(ada, 'Two of Ada', first.reply.id);
    expect(elsewhere([bob, cy, vera])).toEqual([true, false, false]);
    expect((await shown(vera)).at(-2)).toBe('Two of Ada');
    expect((await shown(bob)).at(-2)).toBe('Two');
    await choose(vera, (await say(bob, 'Three')).reply.id);
    await say(cy, 'Three of Cy');
    expect(elsewhere([ada, bob, vera])).toEqual([false, true, true]);
    await say(bob, 'Four');
    expect(elsewhere([ada, cy, vera])).toEqual([true, true, false]);
    expect((await shown(vera)).at(-2)).toBe('Four');
    expect((await shown(ada)).at(-2)).toBe('Three of Cy');
  });

  it('stays when somebody else regenerates', async () => {
    const { ada, bob, cy, feature, first, listed } = await openTogether();
    const reply = await regenerateReply(feature, bob, { id: first.reply.id });
    expect(elsewhere([ada, bob, cy])).toEqual([true, false, true]);
    expect((await listed(bob))?.activeLeafId).toBe(reply.id);
    expect((await listed(ada))?.activeLeafId).toBe(first.reply.id);
  });

  it('is chosen by everybody who reads, for themselves alone, and only in this conversation', async () => {
    const { ada, bob, vera, foreign, say, shown, choose, first, feature, id } =
      await openTogether();
    const edited = await say(ada, 'One, edited', null);
    const other = await chat.start();
    const { reply: unknown } = await other.say('Elsewhere');
    for (const by of [ada, bob, vera, foreign])
      await expect(choose(by, unknown.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(choose(foreign, first.reply.id)).rejects.toMatchObject({ code: 'not_found' });
    await choose(vera, first.message.id);
    expect(await shown(vera)).toEqual(['One', 'Reply to One']);
    expect((await shown(ada))[0]).toBe('One, edited');
    expect((await shown(bob))[0]).toBe('One, edited');
    await expect(
      updateConversation(feature, vera, { id, activeLeafId: edited.reply.id, depth: 'fast' }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    expect(await shown(vera)).toEqual(['One', 'Reply to One']);
  });

  it('is chosen while a reply of somebody else runs, and not while an own one does', async () => {
    const { ada, bob, feature, id, first, choose } = await openTogether();
    const { reply } = await sendMessage(feature, bob, {
      conversationId: id,
      content: 'One, edited',
      parentId: null,
    });
    expect((await choose(ada, reply.id)).activeLeafId).toBe(reply.id);
    expect((await choose(ada, first.reply.id)).activeLeafId).toBe(first.reply.id);
    await expect(choose(bob, first.reply.id)).rejects.toMatchObject({ code: 'reply_in_progress' });
  });

  it('follows when the process died after the reply was stored, unless its author has chosen another one since', async () => {
    const { ada, bob, cy, feature, id, first, choose, listed, say } = await openTogether();
    await say(bob, 'One, edited', null);
    await choose(cy, first.reply.id);
    const views = { ...feature.views, follow: async () => Promise.reject(new Error('killed')) };
    const sent = await sendMessage({ ...feature, views }, cy, {
      conversationId: id,
      content: 'Two @Bob',
    });
    const stored = await feature.messages.findReply(sent.reply.id);
    expect((await listed(cy))?.activeLeafId).toBe(first.reply.id);
    for (let times = 0; times < 2; times += 1) if (stored) await completeSend(feature, stored);
    for (const by of [ada, cy]) expect((await listed(by))?.activeLeafId).toBe(sent.reply.id);
    expect((await listed(bob))?.shared).toMatchObject({ unread: true, mentioned: true });
    await feature.views.show({ conversationId: id, userId: cy.userId }, first.message.id);
    if (stored) await completeSend(feature, stored);
    expect((await listed(cy))?.activeLeafId).toBe(first.message.id);
  });

  it('stays when a worker completes the send of somebody else before its own request does', async () => {
    const { ada, bob, feature, id, first, listed } = await openTogether();
    const enqueue: ChatFeature['enqueue'] = async (reply) =>
      void (await completeSend(feature, reply));
    const sent = await sendMessage({ ...feature, enqueue }, bob, {
      conversationId: id,
      content: 'One, edited',
      parentId: null,
    });
    expect((await listed(bob))?.activeLeafId).toBe(sent.reply.id);
    expect((await listed(ada))?.activeLeafId).toBe(first.reply.id);
  });

  it('costs nothing in a conversation of one person', async () => {
    const refuse = () => Promise.reject(new Error('a view of a private conversation'));
    const views = Object.fromEntries(
      Object.keys(chat.deps.views).map((name) => [name, refuse]),
    ) as unknown as ChatFeature['views'];
    const feature = chat.featureWith({ views });
    const talk = await chat.start();
    const { reply } = await sendMessage(feature, talk.actor, {
      conversationId: talk.id,
      content: 'One @Ada',
    });
    await chat.end(reply.id);
    const again = await regenerateReply(feature, talk.actor, { id: reply.id });
    await chat.end(again.id);
    await updateConversation(feature, talk.actor, { id: talk.id, activeLeafId: reply.id });
    await markRead(feature, talk.actor, talk.id);
    const [listed] = await listConversations(feature, talk.actor, {});
    expect([listed?.activeLeafId, listed?.shared]).toEqual([reply.id, undefined]);
  });
});

it.each([
  ['below what the owner sees', undefined],
  ['on another branch', null],
])(
  'a message of a member %s changes the conversation once, however often it is completed',
  async (_, parentId) => {
    const { ada, bob, feature, id, listed } = await openTogether();
    const content = { content: 'Two', depth: 'deep' as const, parentId };
    const { reply } = await sendMessage(feature, bob, { conversationId: id, ...content });
    expect((await listed(ada))?.depth).toBe('deep');
    await updateConversation(feature, ada, { id, depth: 'fast' });
    const stored = await feature.messages.findReply(reply.id);
    const told: unknown[] = [];
    const publish = async (...event: unknown[]) => void told.push(event);
    const sweep = { ...feature, bus: { ...feature.bus, publish } };
    for (let times = 0; times < 2; times += 1) if (stored) await completeSend(sweep, stored);
    expect((await listed(bob))?.depth).toBe('fast');
    expect(told).toEqual([]);
  },
);

describe('what a member has not seen', () => {
  const marks = async ({ listed }: Together, by: Actor) => {
    const { unread = false, mentioned = false } = (await listed(by))?.shared ?? {};
    return { unread, mentioned };
  };

  it('is what was shared with them and what others have written since they last opened it', async () => {
    const us = await openTogether();
    const { ada, bob, cy, feature, id, say } = us;
    expect(await marks(us, ada)).toEqual({ unread: false, mentioned: false });
    expect(await marks(us, bob)).toEqual({ unread: true, mentioned: false });
    await markRead(feature, bob, id);
    expect(await marks(us, bob)).toEqual({ unread: false, mentioned: false });
    expect(chat.events.at(-1)).toMatchObject({
      userId: bob.userId,
      event: 'conversation:changed',
      payload: { id, shared: { role: 'editor' } },
    });
    await say(cy, 'Two, for @bob and @Cy');
    expect(await marks(us, ada)).toEqual({ unread: true, mentioned: false });
    expect(await marks(us, bob)).toEqual({ unread: true, mentioned: true });
    expect(await marks(us, cy)).toEqual({ unread: false, mentioned: false });
    await markRead(feature, bob, id);
    expect(await marks(us, bob)).toEqual({ unread: false, mentioned: false });
    const events = chat.events.length;
    await markRead(feature, bob, id);
    expect(chat.events.length).toBe(events);
  });

  it('is told to their other tabs with the conversation as it is then', async () => {
    const { ada, bob, feature, id } = await openTogether();
    const markAfterRename: typeof feature.views.markRead = async (...of) => {
      await updateConversation(feature, ada, { id, title: 'Renamed' });
      await feature.views.markRead(...of);
    };
    const views = { ...feature.views, markRead: markAfterRename };
    await markRead({ ...feature, views }, bob, id);
    expect(chat.events.at(-1)).toMatchObject({ userId: bob.userId, payload: { title: 'Renamed' } });
  });

  it('is their own affair: nobody else is told, and a stranger reads and marks nothing', async () => {
    const us = await openTogether();
    const { bob, foreign, feature, id, say, views } = us;
    await say(bob, 'Hello @Foreign Fay and @Nobody');
    expect((await views()).some(({ mentionedAt }) => mentionedAt)).toBe(false);
    expect(await feature.views.allOf([foreign.userId])).toEqual([]);
    await expect(markRead(feature, foreign, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readPeople(feature, foreign, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readPeople(feature, us.vera, id)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await readPeople(feature, bob, id)).people.map(({ name }) => name)).toEqual([
      'Ada',
      'Cy',
      'Vera',
    ]);
  });

  it('begins with who has shared it, which only those hear who could not read it before', async () => {
    const us = await openTogether();
    const { ada, bob, foreign, share, id } = us;
    const toldTo = () =>
      chat.events
        .filter(
          ({ event, payload }) =>
            event === 'conversation:shared' && (payload as { id: string }).id === id,
        )
        .map(({ userId, payload }) => ({ userId, payload }));
    const by = { id: ada.userId, name: 'Ada' };
    await expect.poll(() => toldTo().length).toBe(3);
    await share([
      [bob, 'viewer'],
      [foreign, 'viewer'],
    ]);
    await expect.poll(() => toldTo().length).toBe(4);
    expect(toldTo().at(-1)).toEqual({
      userId: foreign.userId,
      payload: { id, title: 'A talk', by },
    });
  });
});

describe('a view ends', () => {
  it('with the access to the conversation, and for all when it is private again', async () => {
    const { bob, cy, choose, share, first, views, listed, ada } = await openTogether();
    for (const by of [bob, cy]) await choose(by, first.reply.id);
    await share([[bob, 'viewer']]);
    expect((await views()).map(({ userId }) => userId).toSorted()).toEqual(
      [ada.userId, bob.userId].toSorted(),
    );
    await share([]);
    expect(await views()).toEqual([]);
    expect((await listed(ada))?.shared).toBeUndefined();
  });

  it('with the membership that gave access', async () => {
    const { bob, cy, choose, first, feature, id, views } = await openTogether();
    for (const by of [bob, cy]) await choose(by, first.reply.id);
    await feature.conversations.endGrants(userPrincipal(bob.userId));
    publishLostAccess(feature, [bob.userId, cy.userId]);
    await expect
      .poll(async () => (await views()).some(({ userId }) => userId === bob.userId))
      .toBe(false);
    expect((await views()).some(({ userId }) => userId === cy.userId)).toBe(true);
    const record = await feature.conversations.findShared(id);
    expect(record && can({ userId: cy.userId }, 'write', record)).toBe(true);
  });

  it('with the conversation', async () => {
    const { bob, choose, first, feature, id, views, ada } = await openTogether();
    await choose(bob, first.reply.id);
    await feature.deletions.markDeleted({ id, ownerId: ada.userId }, new Date(0));
    await eraseDeleted(feature);
    expect(await views()).toEqual([]);
  });
});

describe('a mention', () => {
  const people = ['Ann', 'Ann Lee', 'Zoë', 'Ann-Marie', '李雷', 'x@y.org', ''].map((name, i) => ({
    id: String(i),
    name,
  }));

  it.each([
    ['@Ann', ['0']],
    ['Hello @ann, and @ANN LEE!', ['0', '1']],
    ['@Ann Leech', ['0']],
    ['@Annabel', []],
    ['@zoe', ['2']],
    ['mail@Ann.org', []],
    ['@Ann-Marie', ['3']],
    ['(@李雷)', ['4']],
    ['@x@y.org', ['5']],
    ['@ @@ @', []],
    ['Ann', []],
  ])('in %s', (text, ids) => {
    expect(findMentions(text, people)).toEqual(ids);
  });

  it('is found in a long text of @ in one pass', () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ id: `${i}`, name: 'a'.repeat(100 + i) }));
    const started = process.cpuUsage();
    expect(findMentions('@aaaaaaaaa'.repeat(20_000), many)).toEqual([]);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});
