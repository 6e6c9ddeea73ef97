import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Conversation,
  conversationCursor,
  ListConversationsQuery,
} from '../src/contract/conversations.ts';
import { actorOf, type Chat, newId, openChat } from './chat.ts';
import { type Stack, startStack } from './stack.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

const list = (actor: ReturnType<typeof actorOf>, query: ListConversationsQuery = {}) =>
  chat.conversations.list(actor, ListConversationsQuery.parse(query));

describe('the list of conversations', () => {
  it('pages by update and id, also where many were updated at the same moment', async () => {
    const actor = actorOf(newId());
    const at = (ms: number) => new Date(1_700_000_000_000 + ms);
    const documents = Array.from({ length: 130 }, (_, n) => ({
      _id: newId(),
      ownerId: actor.userId,
      title: `Talk ${n}`,
      createdAt: at(0),
      // 70 conversations with the same date, so that a page ends within them.
      updatedAt: at(n < 70 ? 5 : n),
    }));
    await chat.conversationModel.insertMany(documents);
    await chat.conversationModel.create({ ...documents[0], _id: newId(), ownerId: newId() });
    const wanted = documents
      .toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a._id < b._id ? 1 : -1))
      .map(({ _id }) => _id);
    const found: Conversation[] = [];
    const sizes: number[] = [];
    for (let before: string | undefined; ; ) {
      const page = await list(actor, { before });
      sizes.push(page.length);
      found.push(...page);
      const last = page.at(-1);
      if (page.length < 50 || !last) break;
      before = conversationCursor(last);
    }
    expect(sizes).toEqual([50, 50, 30]);
    expect(found.map(({ id }) => id)).toEqual(wanted);
  });

  it('keeps titles that contain the text, literally and in either case', async () => {
    const actor = actorOf(newId());
    for (const title of ['Owls (.*) and $50', 'owls', 'Ravens', 'All about OWLS'])
      await chat.conversations.create(actor, { title });
    const titles = async (q: string) =>
      (await list(actor, { q })).map(({ title }) => title).toSorted();
    expect(await titles('owls')).toEqual(['All about OWLS', 'Owls (.*) and $50', 'owls']);
    expect(await titles('(.*)')).toEqual(['Owls (.*) and $50']);
    expect(await titles('$50')).toEqual(['Owls (.*) and $50']);
    expect(await titles('.')).toEqual(['Owls (.*) and $50']);
    expect(await titles('^owls')).toEqual([]);
    expect(await titles('')).toHaveLength(4);
  });

  it('keeps the requested ids among those of the user', async () => {
    const actor = actorOf(newId());
    const [one, , three] = [
      await chat.conversations.create(actor, { title: 'One' }),
      await chat.conversations.create(actor, { title: 'Two' }),
      await chat.conversations.create(actor, { title: 'Three' }),
    ];
    const foreign = await chat.conversations.create(actorOf(newId()), { title: 'Foreign' });
    const found = await list(actor, { ids: [one, three, foreign].map((c) => c?.id).join(',') });
    expect(found.map(({ title }) => title).toSorted()).toEqual(['One', 'Three']);
  });
});

describe('creating a conversation', () => {
  it('with the same client id returns the same conversation, even for twenty concurrent calls', async () => {
    const actor = actorOf(newId());
    const clientConversationId = randomUUID();
    const created = await Promise.all(
      Array.from({ length: 20 }, () =>
        chat.conversations.create(actor, { title: 'Once', clientConversationId }),
      ),
    );
    expect(new Set(created.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await list(actor)).toEqual([created[0]]);
    expect(created[0]).toMatchObject({ title: 'Once', activeLeafId: null });
  });

  it('with the client id of another user creates another conversation', async () => {
    const clientConversationId = randomUUID();
    const fields = { title: 'Mine', clientConversationId };
    const mine = await chat.conversations.create(actorOf(newId()), fields);
    const theirs = await chat.conversations.create(actorOf(newId()), fields);
    expect(mine.id).not.toBe(theirs.id);
  });
});

describe('renaming', () => {
  it('changes the title but not the place in the list, and notifies every tab', async () => {
    const talk = await chat.start();
    const before = await chat.deps.conversations.find({ id: talk.id, ownerId: talk.actor.userId });
    const renamed = await chat.conversations.update(talk.actor, talk.id, { title: 'A new name' });
    expect(renamed).toMatchObject({
      title: 'A new name',
      updatedAt: before?.updatedAt.toISOString(),
    });
    expect(chat.events.at(-1)).toEqual({
      userId: talk.actor.userId,
      event: 'conversation:changed',
      payload: renamed,
    });
  });

  it('of a conversation of another user answers 404 and changes nothing', async () => {
    const talk = await chat.start();
    await expect(
      chat.conversations.update(actorOf(newId()), talk.id, { title: 'Mine now' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const other = { id: talk.id, ownerId: newId() };
    expect(await chat.deps.conversations.change(other, { title: 'Mine now' })).toBeNull();
    expect(
      await chat.deps.conversations.moveLeaf({ ...other, from: null, to: newId() }),
    ).toBeNull();
    expect(
      await chat.deps.conversations.find({ id: talk.id, ownerId: talk.actor.userId }),
    ).toMatchObject({
      title: 'A talk',
      activeLeafId: null,
    });
  });
});

describe('over HTTP', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });

  it('creates with 201 both times, renames, and lists by query', async () => {
    const anna = await stack.guest();
    const body = { title: 'Owls', clientConversationId: randomUUID() };
    const created = await anna.post<Conversation>('/conversations', body);
    const again = await anna.post<Conversation>('/conversations', body);
    expect([created.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(created.body);
    const { id } = created.body;
    const renamed = await anna.patch<Conversation>(`/conversations/${id}`, {
      title: ' Night owls ',
    });
    expect([renamed.status, renamed.body.title]).toEqual([200, 'Night owls']);
    expect((await anna.get<Conversation[]>('/conversations?q=night')).body).toEqual([renamed.body]);
    const cursor = encodeURIComponent(conversationCursor(renamed.body));
    expect((await anna.get<Conversation[]>(`/conversations?before=${cursor}`)).body).toEqual([]);
  });

  it('notifies every tab of the user, and no other user, of a deletion and of its undo', async () => {
    const [anna, ben] = await Promise.all([stack.guest(), stack.guest()]);
    const [talk, theirs] = await Promise.all([anna.conversation(), ben.conversation()]);
    const tabs = await Promise.all([anna.tab(talk), anna.tab(talk), ben.tab(theirs)]);
    const heard = tabs.map(({ socket }) => {
      const events: [string, string][] = [];
      socket.on('conversation:deleted', ({ id }) => events.push(['deleted', id]));
      socket.on('conversation:changed', ({ id }) => events.push(['changed', id]));
      return events;
    });
    expect((await ben.call('DELETE', `/conversations/${talk}`)).status).toBe(404);
    expect((await anna.call('DELETE', `/conversations/${talk}`)).status).toBe(204);
    expect((await anna.post(`/conversations/${talk}/restore`)).status).toBe(200);
    // The last event of each user, after which all earlier ones have arrived.
    await anna.patch(`/conversations/${talk}`, { title: 'Again' });
    await ben.patch(`/conversations/${theirs}`, { title: 'Again' });
    const annas = [
      ['deleted', talk],
      ['changed', talk],
      ['changed', talk],
    ];
    await expect.poll(() => heard).toEqual([annas, annas, [['changed', theirs]]]);
  });

  it('refuses an invalid cursor, id or change', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    const calls = [
      ['GET', '/conversations?before=yesterday'],
      ['GET', `/conversations?before=2026-99-99T00:00:00.000Z_${id}`],
      ['GET', '/conversations?ids=1,2'],
      ['GET', `/conversations/${id}/messages?limit=0`],
      ['GET', `/conversations/${id}/messages?before=x`],
      ['PATCH', `/conversations/${id}`, {}],
      ['PATCH', `/conversations/${id}`, { title: ' ' }],
      ['PATCH', `/conversations/${id}`, { activeLeafId: { $ne: null } }],
      ['PATCH', `/conversations/${id}`, { ownerId: newId() }],
    ] as const;
    for (const [method, path, body] of calls)
      expect([path, (await anna.call(method, path, body)).status]).toEqual([path, 422]);
  });
});
