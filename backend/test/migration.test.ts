import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { Types } from 'mongoose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Conversation } from '../src/contract/conversations.ts';
import { type Migration, MigrationLockLostError, migrate } from '../src/db/migrate.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { messageTreeMigration } from '../src/features/chat/messages/index.ts';
import { newId } from './chat.ts';
import { ownDatabase, startProcess, startRedis, temporaryFolder } from './processes.ts';
import { visitor } from './visitor.ts';

/** A data folder of the version before conversations were trees, and what its API answered. */
const FOLDER = path.join(import.meta.dirname, 'fixtures/folder-without-trees.tar.gz');
const ANSWERS = path.join(import.meta.dirname, 'fixtures/folder-without-trees.json');

interface Answers {
  email: string;
  password: string;
  conversations: {
    id: string;
    title: string;
    messages: { id: string; role: string; content: string; status?: string }[];
  }[];
}

const connections: Connection[] = [];
const connect = async (uri: string) => {
  const connection = await connectMongo(uri);
  connections.push(connection);
  return connection;
};
beforeEach(() => async () => {
  for (const connection of connections.splice(0)) await connection.close();
});

const TIMES = { lockMs: 2_000, renewMs: 50, pollMs: 10 };
/** A database with the index by which messages were read before. */
const open = async () => {
  const connection = await connect(ownDatabase());
  await connection.collection('messages').createIndex({ conversationId: 1, createdAt: 1, _id: 1 });
  return connection;
};

describe('a data folder without trees', () => {
  const startFolder = async () => {
    const folder = await temporaryFolder();
    await promisify(execFile)('tar', ['xzf', FOLDER, '-C', folder]);
    const PORT = String(await getPort());
    const args = ['--dir', path.join(folder, 'mongo'), '--port', PORT];
    await startProcess('embedded-mongo', { args, env: { PORT } });
    return `mongodb://127.0.0.1:${PORT}/stolas`;
  };

  it('starts with all its conversations and messages in their order, and accepts new ones', async () => {
    const answers = JSON.parse(await readFile(ANSWERS, 'utf8')) as Answers;
    const uri = await startFolder();
    const redis = await startRedis();
    const web = await startProcess('web', {
      env: { MONGODB_URI: uri, REDIS_URL: redis.url, RATE_LIMITS: 'false', LOG_LEVEL: 'warn' },
    });
    const us = visitor(web.url);
    const owl = us.as((await us.signIn(answers.email, answers.password)).body.token);
    const { body } = await owl.get<Conversation[]>('/conversations');
    expect(body.map(({ id, title }) => ({ id, title }))).toEqual(
      answers.conversations.map(({ id, title }) => ({ id, title })),
    );
    for (const { id, messages } of answers.conversations) {
      const shown = await owl.messages(id);
      expect(shown).toMatchObject(messages);
      expect(shown).toHaveLength(messages.length);
      const ids = messages.map((message) => message.id);
      expect(shown.map(({ parentId }) => parentId)).toEqual([null, ...ids].slice(0, ids.length));
      expect(body.find((one) => one.id === id)?.activeLeafId).toBe(ids.at(-1) ?? null);
    }
    const connection = await connect(uri);
    const stored = await connection.collection('messages').find().toArray();
    const total = answers.conversations.flatMap(({ messages }) => messages).length;
    expect(stored.filter(({ depth, pathLength }) => depth >= 0 && pathLength > 0)).toHaveLength(
      total,
    );
    const indexes = await connection.collection('messages').indexes();
    expect(indexes.map(({ name }) => name)).not.toContain('conversationId_1_createdAt_1__id_1');
  });
});

/** A conversation as it was stored before, the messages in the order of their creation. */
async function plant(connection: Connection, exchanges: number) {
  const conversationId = newId();
  const ownerId = newId();
  const start = Date.now() - 1_000_000;
  const documents = Array.from({ length: exchanges }, (_, n) => {
    const [user, reply] = [newId(), newId()];
    const shared = { conversationId, ownerId, clientMessageId: randomUUID() };
    const createdAt = new Date(start + n * 10);
    return [
      { ...shared, _id: user, role: 'user', content: `Question ${n}`, createdAt },
      {
        ...shared,
        _id: reply,
        role: 'assistant',
        content: `Answer ${n}`,
        createdAt: new Date(start + n * 10 + 1),
        parentId: user,
        status: 'complete',
        attempt: 1,
      },
    ];
  }).flat();
  const asStored = (doc: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(doc).map(([key, value]) => [
        key,
        typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
          ? new Types.ObjectId(value)
          : value,
      ]),
    );
  await connection.collection('messages').insertMany(documents.map(asStored));
  const conversation = {
    _id: conversationId,
    ownerId,
    title: 'A talk',
    createdAt: new Date(start),
    updatedAt: new Date(),
  };
  await connection.collection('conversations').insertOne(asStored(conversation));
  return { id: new Types.ObjectId(conversationId), ids: documents.map(({ _id }) => _id) };
}

/** The path to the active leaf, by the stored fields. */
async function pathOf(connection: Connection, id: Types.ObjectId) {
  const conversation = await connection.collection('conversations').findOne({ _id: id });
  const stored = await connection.collection('messages').find({ conversationId: id }).toArray();
  const byId = new Map(stored.map((message) => [String(message._id), message]));
  const path: (typeof stored)[number][] = [];
  for (let next = conversation?.activeLeafId; next; ) {
    const message = byId.get(String(next));
    if (!message) throw new Error('A parent is missing.');
    path.unshift(message);
    next = message.parentId;
  }
  return path;
}

type Write = (...args: unknown[]) => Promise<unknown>;

const idsOf = (messages: { _id: unknown }[]) => messages.map(({ _id }) => String(_id));

describe('the migration to trees', () => {
  it('migrates more messages and conversations than one batch', async () => {
    const connection = await open();
    const long = await plant(connection, 251);
    const others = await Promise.all(Array.from({ length: 100 }, () => plant(connection, 1)));
    await messageTreeMigration.run(connection);
    const path = await pathOf(connection, long.id);
    expect(idsOf(path)).toEqual(long.ids);
    expect(path.map(({ depth }) => depth)).toEqual(long.ids.map((_, n) => n));
    expect(path[3]?.pathLength).toBe('Question 0Answer 0Question 1Answer 1'.length);
    for (const { id, ids } of others) expect(idsOf(await pathOf(connection, id))).toEqual(ids);
    const indexes = await connection.collection('messages').indexes();
    expect(indexes.map(({ name }) => name)).toEqual(['_id_']);
  });

  it.each([
    ['in the middle of its messages', 'messages', 'bulkWrite', 1],
    ['before their conversation is done', 'conversations', 'updateOne', 0],
    ['between two conversations', 'conversations', 'updateOne', 1],
  ] as const)('goes on after a crash %s', async (_, collection, write, after) => {
    const connection = await open();
    const planted = [await plant(connection, 300), await plant(connection, 2)];
    const target = connection.collection(collection) as unknown as Record<string, Write>;
    const real = target[write]?.bind(target) as Write;
    let writes = 0;
    const crash = vi.spyOn(target, write).mockImplementation((...args) => {
      writes += 1;
      return writes > after ? Promise.reject(new Error('The process died here.')) : real(...args);
    });
    await expect(messageTreeMigration.run(connection)).rejects.toThrow('died here');
    crash.mockRestore();
    await messageTreeMigration.run(connection);
    for (const { id, ids } of planted) {
      const path = await pathOf(connection, id);
      expect(idsOf(path)).toEqual(ids);
      expect(path.map(({ depth }) => depth)).toEqual(ids.map((__, n) => n));
    }
  });

  it('keeps a message and its reply together despite clocks that differ', async () => {
    const connection = await open();
    const { id, ids } = await plant(connection, 2);
    const messages = connection.collection('messages');
    // As old as the first question: between that and its answer.
    const first = await messages.findOne({ content: 'Question 0' });
    const createdAt: unknown = first?.createdAt;
    await messages.updateOne({ content: 'Question 1' }, { $set: { createdAt } });
    await messageTreeMigration.run(connection);
    const path = idsOf(await pathOf(connection, id));
    expect(path.toSorted()).toEqual(ids.toSorted());
    expect(path.indexOf(ids[1] ?? '')).toBe(path.indexOf(ids[0] ?? '') + 1);
    expect(path.indexOf(ids[3] ?? '')).toBe(path.indexOf(ids[2] ?? '') + 1);
  });

  it('stores a user message that only the outbox of its reply still has', async () => {
    const connection = await open();
    const { id, ids } = await plant(connection, 2);
    const messages = connection.collection('messages');
    const lost = await messages.findOne({ content: 'Question 1' });
    await messages.deleteOne({ content: 'Question 1' });
    const outbox = { content: lost?.content, createdAt: lost?.createdAt };
    await messages.updateOne({ content: 'Answer 1' }, { $set: { outbox } });
    await messageTreeMigration.run(connection);
    const path = await pathOf(connection, id);
    expect(idsOf(path)).toEqual(ids);
    expect(path[2]).toMatchObject({
      role: 'user',
      content: 'Question 1',
      ownerId: lost?.ownerId,
      clientMessageId: lost?.clientMessageId,
    });
    expect(path[3]?.outbox).toBeUndefined();
  });

  it('leaves a migrated conversation unchanged', async () => {
    const connection = await open();
    const { id } = await plant(connection, 2);
    await messageTreeMigration.run(connection);
    const before = await connection.collection('messages').find().toArray();
    const leaf = before[1]?._id;
    await connection
      .collection('conversations')
      .updateOne({ _id: id }, { $set: { activeLeafId: leaf } });
    await messageTreeMigration.run(connection);
    expect((await connection.collection('conversations').findOne())?.activeLeafId).toEqual(leaf);
    expect(await connection.collection('messages').find().toArray()).toEqual(before);
  });
});

describe('migrate', () => {
  const counting = (
    id: string,
    ran: string[],
    run: () => Promise<void> = async () => undefined,
  ): Migration => ({
    id,
    run: async () => {
      ran.push(id);
      await run();
    },
  });

  it('runs each migration once, in the order of their ids', async () => {
    const connection = await open();
    const ran: string[] = [];
    const migrations = ['0002-b', '0001-a', '0003-c'].map((id) => counting(id, ran));
    await migrate(connection, migrations.slice(0, 2));
    await migrate(connection, migrations);
    await migrate(connection, migrations);
    expect(ran).toEqual(['0001-a', '0002-b', '0003-c']);
  });

  it('runs once when several processes start at the same moment; the others wait for it', async () => {
    const uri = ownDatabase();
    const ran: string[] = [];
    let finished = false;
    const slow = counting('0001-slow', ran, async () => {
      await expect.poll(() => waiting).toBe(4);
      finished = true;
    });
    let waiting = 0;
    const start = async () => {
      const connection = await connect(uri);
      waiting += 1;
      await migrate(connection, [slow], TIMES);
      expect(finished).toBe(true);
    };
    await Promise.all([start(), start(), start(), start()]);
    expect(ran).toEqual(['0001-slow']);
  });

  it('renews its lock while a migration runs longer than the lock lasts', async () => {
    const uri = ownDatabase();
    const connection = await connect(uri);
    const ran: string[] = [];
    const locks = connection.collection<{ _id: string; expiresAt: Date }>('migrations');
    const expiry = async () => (await locks.findOne({ _id: 'lock' }))?.expiresAt.getTime() ?? 0;
    const long = counting('0001-long', ran, async () => {
      const first = await expiry();
      await expect.poll(expiry).toBeGreaterThan(first + TIMES.lockMs);
    });
    const other = await connect(uri);
    await Promise.all([migrate(connection, [long], TIMES), migrate(other, [long], TIMES)]);
    expect(ran).toEqual(['0001-long']);
  });

  it('releases its lock when a migration fails, and runs it again at the next start', async () => {
    const connection = await open();
    const ran: string[] = [];
    const failing = counting('0001-a', ran, () => Promise.reject(new Error('The disk is full.')));
    await expect(migrate(connection, [failing], TIMES)).rejects.toThrow('The disk is full.');
    expect(await connection.collection('migrations').find().toArray()).toEqual([]);
    await migrate(connection, [counting('0001-a', ran)], TIMES);
    expect(ran).toEqual(['0001-a', '0001-a']);
  });

  it('takes the lock of a crashed process once it has expired', async () => {
    const connection = await open();
    const locks = connection.collection<{ _id: string; holder: string; expiresAt: Date }>(
      'migrations',
    );
    await locks.insertOne({ _id: 'lock', holder: 'dead', expiresAt: new Date(Date.now() + 300) });
    const ran: string[] = [];
    await migrate(connection, [counting('0001-a', ran)], TIMES);
    expect(ran).toEqual(['0001-a']);
  });

  it('stops when another process has taken its lock, and does not count as finished', async () => {
    const connection = await open();
    const locks = connection.collection<{ _id: string; holder: string; expiresAt: Date }>(
      'migrations',
    );
    const ran: string[] = [];
    const taken = counting('0001-a', ran, async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      await locks.updateOne({ _id: 'lock' }, { $set: { holder: 'another', expiresAt } });
    });
    const migrations = [taken, counting('0002-b', ran)];
    await expect(migrate(connection, migrations, TIMES)).rejects.toThrow(MigrationLockLostError);
    expect(ran).toEqual(['0001-a']);
    expect(await locks.find().toArray()).toMatchObject([{ _id: 'lock', holder: 'another' }]);
  });
});
