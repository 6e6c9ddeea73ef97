import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SearchPage } from '../src/contract/conversations.ts';
import { SEARCH_PAGE_SIZE } from '../src/contract/limits.ts';
import { eraseDeleted } from '../src/features/chat/conversations/deletion.ts';
import type { ChatFeature } from '../src/features/chat/feature.ts';
import { createIndexer, searchMessages } from '../src/features/chat/search/index.ts';
import type { OnPartition } from '../src/jobs/partitions.ts';
import { createMongoMessageSearch } from '../src/search/index.ts';
import { actorOf, type Chat, newId, openChat, type Talk } from './chat.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

describe('the search of messages', () => {
  let chat: Chat;
  let entries: Chat['entries'];
  let search: ChatFeature['search'];
  let unindexed: ChatFeature['unindexed'];
  let talk: Talk;

  beforeAll(async () => {
    chat = await openChat();
    entries = chat.entries;
    search = createMongoMessageSearch(entries);
    unindexed = chat.deps.unindexed;
  });
  beforeEach(async () => {
    talk = await chat.start();
  });

  const indexer = (
    changed: Partial<ChatFeature> = {},
    onPartition: OnPartition = (_partition, work) => work(),
  ) => {
    const index = createIndexer({ ...chat.deps, search, ...changed });
    return () => index(onPartition);
  };
  const searchFor = (actor: Talk['actor'], query: { q: string; cursor?: string }) =>
    searchMessages({ ...chat.deps, search }, actor, query);
  const find = async (q: string, actor = talk.actor) => {
    const { results } = await searchFor(actor, { q });
    return results.map(({ messageId }) => messageId);
  };
  const entryOf = (id: string) => entries.findById(id).lean();

  it('finds messages and ended replies, and no reply that runs', async () => {
    const { message, reply } = await talk.say('A question about owls');
    const running = await talk.send('Another question');
    await chat.model.updateOne({ _id: running.reply.id }, { $set: { content: 'owls so far' } });
    await indexer()();
    expect(await find('owls')).toEqual([reply.id, message.id]);
    await chat.end(running.reply.id, 'owls at last');
    await indexer()();
    expect(await find('owls')).toEqual([running.reply.id, reply.id, message.id]);
  });

  it('finds messages of every branch', async () => {
    const { message } = await talk.say('First owls');
    const { message: edited } = await talk.say('Second owls', null);
    await indexer()();
    expect(await find('first')).toContain(message.id);
    expect(await find('second')).toContain(edited.id);
  });

  it('leaves out the reasoning of a reply', async () => {
    const { reply } = await talk.say('Why');
    const parts = [
      { type: 'reasoning', text: 'secretly thinking' },
      { type: 'text', text: 'An answer' },
    ];
    await chat.model.updateOne({ _id: reply.id }, { $set: { parts } });
    await indexer()();
    expect(await find('secretly')).toEqual([]);
  });

  it('answers with the current title, the time, the role and a snippet', async () => {
    const { message } = await talk.say('Ein **Café** in Zürich');
    await indexer()();
    await chat.conversations.update(talk.actor, talk.id, { title: 'A new name' });
    const { results } = await searchFor(talk.actor, { q: 'zurich cafe ein' });
    expect(results.at(-1)).toEqual({
      conversationId: talk.id,
      messageId: message.id,
      title: 'A new name',
      snippet: 'Ein Café in Zürich',
      matches: [
        { start: 0, end: 3 },
        { start: 4, end: 8 },
        { start: 12, end: 18 },
      ],
      role: 'user',
      createdAt: message.createdAt,
    });
  });

  it('never finds a message of another owner', async () => {
    const { message } = await talk.say('A private matter');
    await indexer()();
    expect(await find('private', actorOf(newId()))).toEqual([]);
    expect(
      (await unindexed.texts([{ messageId: message.id, conversationId: talk.id }], newId())).size,
    ).toBe(0);
    const record = { id: message.id, ownerId: newId(), version: 0 } as never;
    await chat.model.updateOne({ _id: message.id }, { $set: { unindexed: 0 } });
    expect(await unindexed.markIndexed([record])).toBe(false);
    expect((await unindexed.existing([record])).size).toBe(0);
  });

  it('reads page after page, with no result twice and none left out', async () => {
    const count = SEARCH_PAGE_SIZE + 3;
    for (let n = 0; n < count / 2; n += 1) await talk.say(`needle ${n}`);
    await indexer()();
    const first = await searchFor(talk.actor, { q: 'needle' });
    expect(first.results).toHaveLength(SEARCH_PAGE_SIZE);
    const second = await searchFor(talk.actor, { q: 'needle', cursor: first.next ?? '' });
    expect(second.next).toBeNull();
    const ids = [...first.results, ...second.results].map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(2 * Math.ceil(count / 2));
  });

  it('fills its pages where many matches are in a deleted conversation', async () => {
    const { message } = await talk.say('needle at the bottom');
    const other = await chat.start(talk.actor);
    for (let n = 0; n < SEARCH_PAGE_SIZE; n += 1) await other.say(`needle ${n}`);
    await indexer()();
    const { deletions } = chat.deps;
    const key = { id: other.id, ownerId: talk.actor.userId };
    await deletions.markDeleted(key, new Date());
    expect(await find('needle')).toContain(message.id);
    expect(await find('needle')).toHaveLength(2);
    await deletions.restore(key, { since: new Date(0) });
    expect(await find('needle')).toHaveLength(SEARCH_PAGE_SIZE);
  });

  describe('the index', () => {
    it('is not written by a worker while another one writes the same partition', async () => {
      const { message } = await talk.say('Unseen');
      await indexer({}, async () => null)();
      expect(await entryOf(message.id)).toBeNull();
    });

    it('is written by all workers, each message by one of them', async () => {
      const held = new Set<string>();
      const unlessHeld: OnPartition = async (partition, work) => {
        if (held.has(partition)) return null;
        held.add(partition);
        return work().finally(() => held.delete(partition));
      };
      const talks = await Promise.all(Array.from({ length: 40 }, () => chat.start(talk.actor)));
      const said = await Promise.all(talks.map((one) => one.say('Shared work')));
      const written: string[][] = [];
      const workers = Array.from({ length: 3 }, (_, n) => {
        written[n] = [];
        const put: typeof search.put = async (messages) => {
          written[n]?.push(...messages.map(({ id }) => id));
          await search.put(messages);
        };
        return indexer({ search: { ...search, put } }, unlessHeld);
      });
      await Promise.all(workers.map((work) => work()));
      await workers[0]?.();
      const all = written.flat();
      expect(all).toEqual(expect.arrayContaining(said.map(({ message }) => message.id)));
      expect(new Set(all).size).toBe(all.length);
      expect(written.filter((ids) => ids.length > 0).length).toBeGreaterThan(1);
    });

    it('is written again when a process crashed before or after it wrote an entry', async () => {
      const { message } = await talk.say('Cut short');
      const dies = async () => Promise.reject(new Error('The process died.'));
      await indexer({ search: { ...search, put: dies } })();
      expect(await find('cut')).toEqual([]);
      await indexer({ unindexed: { ...unindexed, markIndexed: dies } })();
      await indexer()();
      expect(await find('short')).toContain(message.id);
      expect(await chat.model.countDocuments({ unindexed: { $exists: true } })).toBe(0);
    });

    it('is filled behind messages that cannot be indexed, which are retried a minute later', async () => {
      const bad = new Set<string>();
      for (let n = 0; n < 6; n += 1) {
        const { message, reply } = await talk.say(`Broken ${n}`);
        bad.add(message.id).add(reply.id);
      }
      const { message } = await talk.say('Whole');
      let isBroken = true;
      const put: typeof search.put = async (messages) => {
        if (isBroken && messages.some(({ id }) => bad.has(id)))
          throw new Error('It cannot be indexed.');
        await search.put(messages);
      };
      let clock = Date.now();
      const index = indexer({ search: { ...search, put }, now: () => new Date(clock) });
      await index();
      expect(await find('whole')).toContain(message.id);
      isBroken = false;
      await index();
      expect(await find('broken')).toEqual([]);
      clock += 61_000;
      await index();
      expect(await find('broken')).toHaveLength(bad.size);
    });

    it('gets the user message that only the outbox of its reply has', async () => {
      const { message, reply } = await talk.send('Lost in a crash');
      await chat.model.deleteOne({ _id: message.id });
      const record = await chat.deps.messages.findReply(reply.id);
      if (!record) throw new Error('The reply is not stored.');
      await chat.deps.completeSend(record);
      await indexer()();
      expect(await find('crash')).toEqual([message.id]);
      await chat.end(reply.id);
    });

    it('gets the text of a later attempt that ended while an earlier one was written', async () => {
      const { reply } = await talk.say('Again');
      const put: typeof search.put = async (messages) => {
        await search.put(messages);
        const message = messages.find(({ id }) => id === reply.id);
        if (!message || message.content.includes('later')) return;
        await chat.model.updateOne(
          { _id: reply.id },
          { $set: { content: 'the later text', attempt: 2, unindexed: 2 } },
        );
      };
      await indexer({ search: { ...search, put } })();
      await indexer()();
      expect(await find('later')).toEqual([reply.id]);
    });

    it.each([
      ['before the older text is put', false],
      ['and indexed before the older text is put, by a frozen worker', true],
    ])('keeps no text of a message that was replaced %s', async (_, isIndexed) => {
      const { message, reply } = await talk.send('A secret of a former member');
      await chat.end(reply.id);
      const authorId = newId();
      await chat.model.updateOne({ _id: message.id }, { $set: { authorId } });
      const put: typeof search.put = async (messages) => {
        if (messages.some(({ content }) => content.startsWith('A secret'))) {
          await chat.deps.authored.erase(authorId);
          if (isIndexed) await indexer()();
        }
        await search.put(messages);
      };
      await indexer({ search: { ...search, put } })();
      expect((await entryOf(message.id))?.words).toMatch(/ erased /);
      expect(await find('secret')).toEqual([]);
      expect(await chat.model.countDocuments({ unindexed: { $exists: true } })).toBe(0);
    });

    it('keeps nothing of a message that was erased while it was written', async () => {
      const { message } = await talk.say('Erased meanwhile');
      const put: typeof search.put = async (messages) => {
        const erased = messages.find(({ id }) => id === message.id);
        if (erased) {
          const { ownerId, conversationId } = erased;
          await chat.model.deleteOne({ _id: message.id });
          await search.remove({ ownerId, conversationId });
        }
        await search.put(messages);
      };
      await indexer({ search: { ...search, put } })();
      expect(await entryOf(message.id)).toBeNull();
    });

    it('loses the entries of an erased conversation, and no others', async () => {
      const { message } = await talk.say('To be erased');
      const other = await chat.start(talk.actor);
      const kept = await other.say('To be kept');
      await indexer()();
      const { deletions } = chat.deps;
      await deletions.markDeleted({ id: talk.id, ownerId: talk.actor.userId }, new Date(0));
      await eraseDeleted({
        ...chat.deps,
        removeMessages: async (scope) => {
          await chat.deps.messages.removeAllIn(scope);
          return true;
        },
        search,
      });
      expect(await entryOf(message.id)).toBeNull();
      expect(await entryOf(kept.message.id)).not.toBeNull();
    });
  });
});

describe('GET /api/search', () => {
  let stack: Stack;
  let owl: ApiClient;

  beforeAll(async () => {
    stack = await startStack();
    stack.provider.onMessage(/.*/, { content: 'The heron answers.' });
    owl = await stack.guest();
  });

  const idsOf = async (api: ApiClient, q: string) => {
    const { body } = await api.get<SearchPage>(`/search?q=${encodeURIComponent(q)}`);
    return body.results.map(({ messageId }) => messageId);
  };

  it('requires a session, a word or more, and a cursor of its own', async () => {
    expect((await stack.api('').get('/search?q=owl')).status).toBe(401);
    const queries = ['', '?q=', '?q=%20', `?q=${'a'.repeat(201)}`, '?q=a&cursor=x'];
    for (const query of [
      ...queries,
      '?q=a&cursor=9999-99-99T99:99:99.999Z-0123456789abcdef01234567',
    ])
      expect((await owl.get(`/search${query}`)).status).toBe(422);
    expect((await owl.get(`/search?q=${'a '.repeat(100)}`)).status).toBe(200);
  });

  it('finds a message and its reply soon, for their owner only, until they are deleted', async () => {
    const id = await owl.conversation();
    const { body } = await owl.send(id, 'Where is the kingfisher?');
    await expect.poll(() => idsOf(owl, 'kingfisher')).toEqual([body.message.id]);
    await expect.poll(() => idsOf(owl, 'heron answers')).toEqual([body.reply.id]);
    expect(await idsOf(await stack.guest(), 'kingfisher')).toEqual([]);
    await owl.call('DELETE', `/conversations/${id}`);
    expect(await idsOf(owl, 'kingfisher')).toEqual([]);
    await owl.post(`/conversations/${id}/restore`);
    expect(await idsOf(owl, 'kingfisher')).toEqual([body.message.id]);
  });
});
