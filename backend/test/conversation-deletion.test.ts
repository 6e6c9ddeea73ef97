import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Usage } from '../src/contract/usage.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { eraseDeleted } from '../src/features/chat/conversations/deletion.ts';
import { removeMessagesIn, stopRepliesIn } from '../src/features/chat/generation/index.ts';
import { createReplyLog, type ReplyLog } from '../src/features/chat/generation/log.ts';
import { createReplyStore } from '../src/features/chat/generation/model.ts';
import { createIndexer } from '../src/features/chat/search/index.ts';
import {
  bytesOf,
  dyingAt,
  failingAt,
  openFiles,
  type Rig,
} from '../src/features/files/files.fixture.ts';
import { contentKey } from '../src/features/files/library/file-record.ts';
import { ObjectMissingError } from '../src/objects/index.ts';
import { createChannels } from '../src/realtime/channels.ts';
import { createMongoMessageSearch } from '../src/search/index.ts';
import { actorOf, type Chat, newId, openChat } from './chat.ts';
import { longText, type Stack, startStack } from './stack.ts';

/** After this time a deleted conversation cannot be restored, and is erased. */
const ERASED_AFTER_MS = 61_000;
/** Longer than the lease of a conversation. */
const LEASED_MS = 11 * 60_000;

describe('fault 34: a conversation that is deleted while a reply runs', () => {
  let stack: Stack;
  let database: Connection;
  let redis: Redis;

  beforeAll(async () => {
    stack = await startStack();
    const streamingProfile = { tps: 40 };
    stack.provider.onMessage(/.*/, { content: longText(4_000) }, { streamingProfile });
    database = await connectMongo(stack.env.MONGODB_URI ?? '');
    redis = new Redis(stack.redis.url);
    return async () => {
      redis.disconnect();
      await database.close();
    };
  });

  const idOf = (id: string) => database.base.Types.ObjectId.createFromHexString(id);
  /** `unindexed` belongs to the search. */
  const replyOf = (id: string) =>
    database.collection('messages').findOne({ _id: idOf(id) }, { projection: { unindexed: 0 } });
  const ledgerOf = (replyId: string) =>
    database.collection('usage_ledger').find({ replyId }).toArray();
  /** Every document as one text, except usage, which the ledger keeps. */
  const documents = async () => {
    const collections = (await database.db?.collections()) ?? [];
    const kept = collections.filter(({ collectionName }) => !collectionName.startsWith('usage_'));
    return JSON.stringify(await Promise.all(kept.map((one) => one.find().toArray())));
  };

  /** A guest whose conversation is deleted during a reply. */
  async function deleteWhileRunning() {
    const api = await stack.guest();
    const talk = await api.conversation();
    const file = await api.upload('owls.txt', 'Owls hunt at night.', 'chat');
    const tab = await api.tab(talk);
    const content = `Tell me of owls ${talk}`;
    const body = { content, clientMessageId: randomUUID(), files: [{ id: file.id }] };
    const sent = await api.post<{ reply: { id: string } }>(`/conversations/${talk}/messages`, body);
    const replyId = sent.body.reply.id;
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    expect((await api.call('DELETE', `/conversations/${talk}`)).status).toBe(204);
    return { api, talk, replyId, file };
  }

  const expectEnded = async (replyId: string) => {
    await expect
      .poll(async () => {
        const reply = await replyOf(replyId);
        return [reply?.active ?? null, reply?.charges ?? [], reply?.status];
      })
      .toEqual([null, [], 'stopped']);
  };

  it('ends it, and its usage is settled once; a restore shows its last state, and nothing is written afterwards', async () => {
    const { api, talk, replyId } = await deleteWhileRunning();
    await expectEnded(replyId);
    const ended = await replyOf(replyId);
    const ledger = await ledgerOf(replyId);
    expect(ledger).toMatchObject([{ state: 'settled', attempt: 1 }]);
    const { messages, used } = (await api.get<Usage>('/usage')).body;
    expect(messages?.used).toBe(1);
    expect(used).toBe((ledger[0]?.promptTokens ?? 0) + (ledger[0]?.completionTokens ?? 0));

    expect((await api.post(`/conversations/${talk}/restore`)).status).toBe(200);
    const reply = await api.reply(talk);
    expect(reply).toMatchObject({ id: replyId, status: 'stopped', content: ended?.content });
    expect(reply.content.length).toBeGreaterThan(100);
    expect(longText(4_000).startsWith(reply.content)).toBe(true);
    // The worker takes, and ends, another reply.
    const other = await api.conversation();
    const next = (await api.send(other, 'And of herons')).body.reply.id;
    const tab = await api.tab(other);
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    await api.post(`/replies/${next}/stop`);
    await expectEnded(next);
    expect(await replyOf(replyId)).toEqual(ended);
    expect(await ledgerOf(replyId)).toEqual(ledger);
  });

  it('erases all of it after the time to undo, even when that ends before the reply', async () => {
    const { api, talk, replyId, file } = await deleteWhileRunning();
    const deletedAt = new Date(Date.now() - ERASED_AFTER_MS);
    await database
      .collection('conversations')
      .updateOne({ _id: idOf(talk) }, { $set: { deletedAt } });
    expect((await api.post(`/conversations/${talk}/restore`)).status).toBe(404);
    await expect.poll(documents).not.toContain(talk);
    const left = await documents();
    expect(left).not.toContain(replyId);
    expect((await redis.keys('*')).filter((key) => key.includes(replyId))).toEqual([]);
    expect((await api.get(`/files/${file.id}`)).status).toBe(404);
    expect(await ledgerOf(replyId)).toMatchObject([{ state: 'settled' }]);
  });
});

describe('erasing a conversation', () => {
  let chat: Chat;
  let rig: Rig;
  let entries: Chat['entries'];
  let redis: Redis;
  let replyLog: ReplyLog;

  beforeAll(async () => {
    [chat, rig] = await Promise.all([openChat(), openFiles()]);
    entries = chat.entries;
    redis = new Redis(process.env.REDIS_URL ?? '');
    replyLog = createReplyLog(redis, { publish: async () => undefined });
    return () => redis.disconnect();
  });

  type Wrap = <T extends object>(target: T) => T;
  const asItIs: Wrap = (target) => target;

  /** The sweep, with writes that `wrap` may interrupt. */
  const erase = (wrap: Wrap = asItIs, { later = 0 } = {}) => {
    const search = wrap(createMongoMessageSearch(entries));
    const files = rig.build(wrap);
    const generation = {
      replies: wrap(createReplyStore(chat.model)),
      messages: wrap(chat.deps.messages),
      replyLog: wrap(replyLog),
      channels: createChannels(redis),
    };
    return eraseDeleted({
      ...chat.deps,
      deletions: wrap(chat.deps.deletions),
      stopReplies: async (scope) => {
        await stopRepliesIn(generation, scope);
      },
      removeMessages: (scope) => removeMessagesIn(generation, scope),
      search,
      others: {
        ...chat.deps.others,
        files: { ...chat.deps.files, releaseConversation: files.releaseConversation },
      },
      now: () => new Date(Date.now() + later),
    });
  };

  /** A conversation with an own file and one of the library, both indexed and logged. */
  async function start(ownerId: string) {
    const talk = await chat.start(actorOf(ownerId));
    const { message, reply } = await talk.say('A question about owls');
    const bytes = Buffer.from(`Owls hunt at night. ${newId()}`);
    const own = await rig.add(ownerId, bytes);
    const inLibrary = await rig.add(ownerId, Buffer.from(newId()), 'kept.txt', 'library');
    const fileIds = [own.id, inLibrary.id];
    await rig.addUse({ ownerId, fileIds, conversationId: talk.id });
    const search = createMongoMessageSearch(entries);
    await createIndexer({ ...chat.deps, search })((_partition, work) => work());
    const writer = { replyId: reply.id, conversationId: talk.id, ownerId, attempt: 1 };
    await replyLog.fence(writer);
    return { talk, own, inLibrary, ids: [message.id, reply.id], replyId: reply.id, bytes };
  }
  type Started = Awaited<ReturnType<typeof start>>;

  const idsOf = async (ownerId: string) => (await rig.filesOf(ownerId)).map(({ id }) => id);
  const keyOf = ({ replyId, talk }: Started) => ({ id: replyId, conversationId: talk.id });
  const isLogged = async (started: Started) => (await replyLog.count([keyOf(started)])) === 1;
  const present = async ({ talk, ids }: Started) => ({
    conversation: await chat.conversationModel.countDocuments({ _id: talk.id }),
    messages: await chat.model.countDocuments({ conversationId: talk.id }),
    searchable: await entries.countDocuments({ _id: { $in: ids } }),
  });

  it('is finished by the next sweep, wherever the process crashed, and changes nothing else', async () => {
    const [owner, stranger] = [newId(), newId()];
    const [other, theirs] = [await start(owner), await start(stranger)];
    const kept = [other.own.id, other.inLibrary.id];
    let calls = 0;
    for (let call = 1; ; call += 1) {
      const gone = await start(owner);
      const { deletions } = chat.deps;
      await deletions.markDeleted({ id: gone.talk.id, ownerId: owner }, new Date(0));
      const { wrap, died } = dyingAt(call);
      await erase(wrap).catch(() => undefined);
      calls = call;
      if (!died()) break;
      // The crashed sweep has leased it by its second call.
      await erase();
      expect((await present(gone)).conversation).toBe(call > 2 ? 1 : 0);
      await erase(asItIs, { later: LEASED_MS });
      // The remaining objects are removed once no late write can follow.
      rig.later(ERASED_AFTER_MS * 20);
      await rig.deletion.sweepDeleted();

      expect(await present(gone), `died at call ${call}`).toEqual({
        conversation: 0,
        messages: 0,
        searchable: 0,
      });
      expect(await isLogged(gone)).toBe(false);
      const key = contentKey({ ownerId: owner, id: gone.own.id });
      await expect(bytesOf(rig.objects, key)).rejects.toBeInstanceOf(ObjectMissingError);
      kept.push(gone.inLibrary.id);
      expect((await idsOf(owner)).toSorted()).toEqual(kept.toSorted());
    }
    expect(calls).toBeGreaterThan(10);
    for (const one of [other, theirs]) {
      expect(await present(one)).toEqual({ conversation: 1, messages: 2, searchable: 2 });
      expect(await isLogged(one)).toBe(true);
      const key = contentKey({ ownerId: one.talk.actor.userId, id: one.own.id });
      expect(await bytesOf(rig.objects, key)).toEqual(one.bytes);
    }
    const uses = (await rig.filesOf(owner)).flatMap(({ conversationIds }) => conversationIds);
    expect(new Set(uses)).toEqual(new Set([other.talk.id]));
    expect((await idsOf(stranger)).toSorted()).toEqual(
      [theirs.own.id, theirs.inLibrary.id].toSorted(),
    );
  });

  it('is repeated after the lease, for any failed call, even when later ones succeeded', async () => {
    const owner = newId();
    const { deletions } = chat.deps;
    let calls = 0;
    for (let call = 1; ; call += 1) {
      const gone = await start(owner);
      await deletions.markDeleted({ id: gone.talk.id, ownerId: owner }, new Date(0));
      const { wrap, died } = failingAt(call);
      await erase(wrap).catch(() => undefined);
      calls = call;
      if (!died()) break;
      await erase(asItIs, { later: LEASED_MS });
      rig.later(ERASED_AFTER_MS * 20);
      await rig.deletion.sweepDeleted();
      expect(await present(gone), `call ${call} failed`).toEqual({
        conversation: 0,
        messages: 0,
        searchable: 0,
      });
      expect(await isLogged(gone)).toBe(false);
      const key = contentKey({ ownerId: owner, id: gone.own.id });
      await expect(bytesOf(rig.objects, key)).rejects.toBeInstanceOf(ObjectMissingError);
      const uses = (await rig.filesOf(owner)).flatMap(({ conversationIds }) => conversationIds);
      expect(uses, `call ${call} failed`).not.toContain(gone.talk.id);
    }
    expect(calls).toBeGreaterThan(10);
  });

  it('is not blocked by another one that fails', async () => {
    const owner = newId();
    const [bad, good] = [await start(owner), await start(owner)];
    const { deletions } = chat.deps;
    for (const { talk } of [bad, good])
      await deletions.markDeleted({ id: talk.id, ownerId: owner }, new Date(0));
    const failing: Wrap = (target) =>
      'removeAllIn' in target
        ? {
            ...target,
            removeAllIn: async (scope: { conversationId: string; ownerId: string }) => {
              if (scope.conversationId === bad.talk.id) throw new Error('It cannot be removed.');
              await chat.deps.messages.removeAllIn(scope);
            },
          }
        : target;
    await expect(erase(failing)).rejects.toThrow(AggregateError);
    expect((await present(good)).conversation).toBe(0);
    expect((await present(bad)).conversation).toBe(1);
    await erase(asItIs, { later: LEASED_MS });
    expect((await present(bad)).conversation).toBe(0);
  });

  it('is done by one worker at a time, with any number of sweeps', async () => {
    const owner = newId();
    const gone = await start(owner);
    const { deletions } = chat.deps;
    await deletions.markDeleted({ id: gone.talk.id, ownerId: owner }, new Date(0));
    const began: string[] = [];
    const counting: Wrap = (target) =>
      'removeAllIn' in target
        ? {
            ...target,
            removeAllIn: async (scope: { conversationId: string; ownerId: string }) => {
              began.push(scope.conversationId);
              await Promise.all([erase(counting), erase(counting)]);
              await chat.deps.messages.removeAllIn(scope);
            },
          }
        : target;
    await Promise.all([erase(counting), erase(counting), erase(counting)]);
    expect(began).toEqual([gone.talk.id]);
    expect((await present(gone)).conversation).toBe(0);
  });

  it('is retried at once when a reply had not ended', async () => {
    const owner = newId();
    const gone = await start(owner);
    const { deletions } = chat.deps;
    await deletions.markDeleted({ id: gone.talk.id, ownerId: owner }, new Date(0));
    const open: Wrap = (target) =>
      'keysIn' in target ? { ...target, keysIn: async () => [keyOf(gone)] } : target;
    await erase(open);
    expect((await present(gone)).conversation).toBe(1);
    await erase();
    expect((await present(gone)).conversation).toBe(0);
  });

  it('waits for an earlier restore, and a later restore finds nothing', async () => {
    const owner = newId();
    const talk = await start(owner);
    const key = { id: talk.talk.id, ownerId: owner };
    const { deletions } = chat.deps;
    await deletions.markDeleted(key, new Date(0));
    const now = new Date();
    const lease = { before: now, now, leasedUntil: now };
    expect(await deletions.restore(key, { since: new Date(0) })).toMatchObject(key);
    expect(await deletions.beginErasing(key, lease)).toBe(false);
    await erase();
    expect(await present(talk)).toEqual({ conversation: 1, messages: 2, searchable: 2 });
    await deletions.markDeleted(key, new Date(0));
    expect(await deletions.beginErasing(key, lease)).toBe(true);
    expect(await deletions.restore(key, { since: new Date(0) })).toBeNull();
  });
});
