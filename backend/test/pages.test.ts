import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MESSAGE_PAGE_BYTES } from '../src/contract/limits.ts';
import type { Message } from '../src/contract/messages.ts';
import { readMessages } from '../src/features/chat/messages/index.ts';
import { actorOf, type Chat, newId, openChat, type Talk } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await openChat();
});

/** The stored part of a message; the list has the order of creation. */
interface Planted {
  _id: string;
  parentId?: string;
  depth: number;
}

/** Stores messages under a conversation without sending them. The last one becomes the active leaf. */
async function plant(talk: Talk, planted: Planted[], content = 'text') {
  const documents = planted.map((message, index) => ({
    ...message,
    conversationId: talk.id,
    ownerId: talk.actor.userId,
    role: message.depth % 2 === 0 ? 'user' : 'assistant',
    ...(message.depth % 2 === 1 && { status: 'complete', attempt: 1 }),
    content,
    createdAt: new Date(1_700_000_000_000 + index),
  }));
  await chat.model.insertMany(documents);
  await select(talk, planted.at(-1)?._id ?? '');
}

const select = (talk: Talk, activeLeafId: string) =>
  chat.conversationModel.updateOne({ _id: talk.id }, { $set: { activeLeafId } });

function line(length: number): Planted[] {
  const ids = Array.from({ length }, newId);
  return ids.map((_id, depth) => {
    const parentId = ids[depth - 1];
    return { _id, depth, ...(parentId && { parentId }) };
  });
}

/** A tree in which each message follows any earlier one, more often a late one. */
function tree(size: number): Planted[] {
  const nodes: Planted[] = [];
  while (nodes.length < size) {
    const parent =
      randomInt(8) === 0
        ? undefined
        : nodes[nodes.length - 1 - randomInt(Math.min(nodes.length || 1, 4))];
    nodes.push({
      _id: newId(),
      depth: parent ? parent.depth + 1 : 0,
      ...(parent && { parentId: parent._id }),
    });
  }
  return nodes;
}

const list = (talk: Talk, query: { before?: string; limit?: number } = {}) =>
  chat.pages.list(talk.actor, { conversationId: talk.id, limit: 200, ...query });
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

/** The same page, computed by reading everything. */
function expected(
  nodes: Planted[],
  leafId: string,
  { before, limit }: { before?: string; limit: number },
) {
  const path: Planted[] = [];
  for (let next: string | undefined = leafId; next; ) {
    const node = nodes.find(({ _id }) => _id === next);
    if (!node) break;
    path.unshift(node);
    next = node.parentId;
  }
  const shown = before
    ? path.slice(
        0,
        path.findIndex(({ _id }) => _id === before),
      )
    : path;
  return shown.slice(-limit).map(({ _id, parentId }) => ({
    id: _id,
    parentId: parentId ?? null,
    siblingIds: nodes.filter((node) => node.parentId === parentId).map((node) => node._id),
  }));
}

const places = (messages: Message[]) =>
  messages.map(({ id, parentId, siblingIds }) => ({ id, parentId, siblingIds }));

describe('the messages of a conversation', () => {
  it('are read as the last page, and page by page upwards', async () => {
    const talk = await chat.start();
    const planted = line(25);
    await plant(talk, planted);
    const all = planted.map(({ _id }) => _id);
    const last = await list(talk, { limit: 10 });
    expect(ids(last)).toEqual(all.slice(15));
    const middle = await list(talk, { limit: 10, before: last[0]?.id ?? '' });
    expect(ids(middle)).toEqual(all.slice(5, 15));
    const first = await list(talk, { limit: 10, before: middle[0]?.id ?? '' });
    expect(ids(first)).toEqual(all.slice(0, 5));
    expect(first[0]?.parentId).toBeNull();
    expect(await list(talk, { before: first[0]?.id ?? '' })).toEqual([]);
  });

  it('are none in a conversation without any', async () => {
    const talk = await chat.start();
    expect(await list(talk)).toEqual([]);
  });

  it('answer 404 above a message that is unknown or of another conversation', async () => {
    const talk = await chat.start();
    const foreign = await (await chat.start()).say('Foreign');
    for (const before of [newId(), foreign.reply.id])
      await expect(list(talk, { before })).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      chat.pages.list(actorOf(newId()), { conversationId: talk.id, limit: 200 }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are the right ones for random trees, leaves and pages', async () => {
    for (let round = 0; round < 12; round += 1) {
      const talk = await chat.start();
      const nodes = tree(40);
      await plant(talk, nodes);
      for (let tries = 0; tries < 12; tries += 1) {
        const leaf = nodes[randomInt(nodes.length)]?._id ?? '';
        await select(talk, leaf);
        const limit = 1 + randomInt(8);
        const page = await list(talk, { limit });
        expect(places(page)).toEqual(expected(nodes, leaf, { limit }));
        const before = page[randomInt(page.length)]?.id ?? '';
        expect(places(await list(talk, { limit, before }))).toEqual(
          expected(nodes, leaf, { limit, before }),
        );
      }
    }
  });

  it('name all siblings of the first message of a page', async () => {
    const talk = await chat.start();
    const planted = line(6);
    const sibling = { ...planted[2], _id: newId(), depth: 2 };
    await plant(talk, [...planted.slice(0, 3), sibling, ...planted.slice(3)]);
    const [first] = await list(talk, { limit: 4 });
    expect(first?.siblingIds).toEqual([planted[2]?._id, sibling._id]);
  });

  describe('of long messages', () => {
    const LONG = 50_000;
    const TEXTS = MESSAGE_PAGE_BYTES / 2;
    /** Six messages of this size each; the last reply has no stored length yet. */
    const plantLong = async (length = LONG) => {
      const talk = await chat.start();
      const planted = line(6).map((message, at) => ({
        ...message,
        ...(at < 5 && { pathLength: (at + 1) * length }),
      }));
      await plant(talk, planted, 'x'.repeat(length));
      return { talk, nodes: planted.map(({ _id }) => _id) };
    };

    it('are shorter, and page on to the first message', async () => {
      const { talk, nodes } = await plantLong();
      expect(5 * LONG).toBeLessThan(TEXTS);
      const last = await list(talk);
      expect(ids(last)).toEqual(nodes);
      const { talk: longer, nodes: all } = await plantLong(2 * LONG);
      const pages: string[][] = [];
      for (let before: string | undefined; ; ) {
        const page = await list(longer, before ? { before } : {});
        pages.unshift(ids(page));
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MESSAGE_PAGE_BYTES);
        if (page[0]?.parentId === null) break;
        before = page[0]?.id;
      }
      expect(pages).toEqual([all.slice(0, 1), all.slice(1, 3), all.slice(3)]);
    });

    it('have at least one message, and are read without the others', async () => {
      const { talk, nodes } = await plantLong(TEXTS + 1);
      const before = nodes[3] ?? '';
      expect(ids(await list(talk, { before, limit: 50 }))).toEqual([nodes[2]]);
      expect(ids(await list(talk, { before, limit: 1 }))).toEqual([nodes[2]]);
    });
  });

  it('contain the text of a running reply', async () => {
    const talk = await chat.start();
    await talk.say('One');
    await talk.send('Two');
    const feature = chat.featureWith({
      withLiveText: async (reply) =>
        reply.status === 'queued' ? { ...reply, content: 'so far' } : reply,
    });
    const page = { conversationId: talk.id, limit: 200 };
    const shown = await readMessages(feature, talk.actor, page);
    expect(shown.map(({ content }) => content)).toEqual(['One', 'Reply to One', 'Two', 'so far']);
    expect(shown.at(-1)).toMatchObject({ parts: [{ type: 'text', text: 'so far' }] });
  });

  it('are read for a user one page after the other, and for others meanwhile', async () => {
    const [talk, other] = [await chat.start(), await chat.start()];
    await plant(talk, line(2));
    await plant(other, line(2));
    const reading: string[] = [];
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const page: typeof chat.deps.messages.page = async (scope, wanted) => {
      reading.push(String(scope.ownerId));
      if (scope.ownerId === talk.actor.userId) await held;
      return chat.deps.messages.page(scope, wanted);
    };
    const feature = chat.featureWith({ messages: { ...chat.deps.messages, page } });
    const read = ({ actor, id }: Talk) =>
      readMessages(feature, actor, { conversationId: id, limit: 200 });
    const own = [read(talk), read(talk), read(talk)];
    await expect.poll(() => reading).toEqual([talk.actor.userId]);
    expect(await read(other)).toHaveLength(2);
    expect(reading).toEqual([talk.actor.userId, other.actor.userId]);
    go();
    for (const messages of await Promise.all(own)) expect(messages).toHaveLength(2);
  });
});

it('every query names the owner', async () => {
  const talk = await chat.start();
  const { message, reply } = await talk.send('Private');
  const { messages } = chat.deps;
  const read = async (ownerId: string) => {
    const scope = { conversationId: talk.id, ownerId };
    return {
      find: (await messages.find(reply.id, scope))?.id,
      deepest: ids((await messages.deepest(scope, { limit: 5 })).places),
      children: ids(await messages.children(scope, { parentId: message.id, depth: 1 })),
      activeReplyId: await messages.activeReplyId(scope),
    };
  };
  expect(await read(talk.actor.userId)).toEqual({
    find: reply.id,
    deepest: [reply.id, message.id],
    children: [reply.id],
    activeReplyId: reply.id,
  });
  expect(await read(newId())).toEqual({
    find: undefined,
    deepest: [],
    children: [],
    activeReplyId: null,
  });
});

describe('a conversation of 5,000 messages', () => {
  it('is opened by reading one page of it, also when the page has branches', async () => {
    const talk = await chat.start();
    const planted = line(5_000);
    const leaf = planted.at(-1);
    const siblings = Array.from({ length: 80 }, () => ({
      ...planted[4_990],
      _id: newId(),
      depth: 4_990,
    }));
    await plant(talk, planted);
    const read = countDocuments();
    const linear = await list(talk, { limit: 50 });
    expect(ids(linear)).toEqual(planted.slice(-50).map(({ _id }) => _id));
    expect(read.count()).toBe(1 + 51 + 50);
    await plant(talk, siblings);
    await select(talk, leaf?._id ?? '');
    read.reset();
    const branched = await list(talk, { limit: 50 });
    expect(ids(branched)).toEqual(ids(linear));
    expect(branched[40]?.siblingIds).toHaveLength(81);
    expect(read.count()).toBeLessThanOrEqual(1 + 51 + (50 + 80) + 50);
    read.reset();
    expect(ids(await list(talk, { limit: 50, before: planted[2_500]?._id ?? '' }))).toEqual(
      planted.slice(2_450, 2_500).map(({ _id }) => _id),
    );
    expect(read.count()).toBeLessThanOrEqual(2 + 51 + 50);
    read.reset();
    const path = await chat.deps.messages.path({
      conversationId: talk.id,
      leafId: planted[3_000]?._id ?? '',
      limit: 20,
    });
    expect(ids(path)).toEqual(planted.slice(2_981, 3_001).map(({ _id }) => _id));
    expect(read.count()).toBeLessThanOrEqual(21 + 1 + 20 + 20);
  });
});

describe('the path of a prompt', () => {
  it('has the last texts that fit, and of the messages above only the ids of files', async () => {
    const talk = await chat.start();
    const planted = line(200);
    await plant(talk, planted, 'x'.repeat(1_000));
    const first = planted[0]?._id ?? '';
    const files = [{ id: newId(), name: 'owls.pdf', type: 'application/pdf', size: 1 }];
    await chat.model.updateOne({ _id: first }, { $set: { metadata: { files } } });
    const pathOf = async (maxBytes: number) => {
      const wanted = { conversationId: talk.id, leafId: planted.at(-1)?._id ?? '', limit: 200 };
      const path = await chat.deps.messages.pathOfPrompt({ ...wanted, maxBytes });
      expect(ids(path)).toEqual(planted.map(({ _id }) => _id));
      expect(path[0]?.metadata?.files?.map(({ id }) => id)).toEqual([files[0]?.id]);
      const texts = path.filter(({ withoutText }) => !withoutText);
      expect(texts).toEqual(path.slice(-texts.length));
      expect(texts.every(({ content }) => content.length === 1_000)).toBe(true);
      expect(path.slice(0, -texts.length).every(({ content }) => content === '')).toBe(true);
      return texts.length;
    };
    // Read in batches, of which the last one goes beyond the limit.
    expect(await pathOf(1)).toBe(40);
    expect(await pathOf(40_000)).toBe(40);
    expect(await pathOf(40_001)).toBe(80);
    expect(await pathOf(1_000_000)).toBe(200);
  });

  it('has the text that checkpoints have added to a running reply', async () => {
    const talk = await chat.start();
    const planted = line(2);
    await plant(talk, planted, 'Owls');
    const leafId = planted.at(-1)?._id ?? '';
    const deltas = [{ part: 0, type: 'text', offset: 4, delta: ' hoot.' }];
    await chat.model.updateOne({ _id: leafId }, { $set: { deltas } });
    const path = await chat.deps.messages.pathOfPrompt({
      conversationId: talk.id,
      leafId,
      limit: 2,
      maxBytes: 1_000,
    });
    expect(path.at(-1)).toMatchObject({ role: 'assistant', content: 'Owls hoot.' });
  });
});

/** Counts the documents in the database's answers. */
function countDocuments() {
  let count = 0;
  for (const model of [chat.model, chat.conversationModel]) {
    const collection = model.collection as unknown as Reads;
    const find = collection.find.bind(collection);
    const findOne = collection.findOne.bind(collection);
    vi.spyOn(collection, 'find').mockImplementation((...args) => {
      const cursor = find(...args);
      const toArray = cursor.toArray.bind(cursor);
      cursor.toArray = async () => {
        const documents = await toArray();
        count += documents.length;
        return documents;
      };
      return cursor;
    });
    vi.spyOn(collection, 'findOne').mockImplementation((...args) => {
      count += 1;
      return findOne(...args);
    });
  }
  return {
    count: () => count,
    reset: () => {
      count = 0;
    },
  };
}

interface Reads {
  find: (...args: unknown[]) => { toArray: () => Promise<unknown[]> };
  findOne: (...args: unknown[]) => Promise<unknown>;
}
