import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, SearchPage } from '../src/contract/conversations.ts';
import type { Memory, MemoryList } from '../src/contract/memory.ts';
import type { Message } from '../src/contract/messages.ts';
import type { Persona } from '../src/contract/personas.ts';
import type { Usage } from '../src/contract/usage.ts';
import { type Migration, MigrationLockLostError, migrate } from '../src/db/migrate.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { announceRelease } from '../src/db/releases.ts';
import { firstRelease } from '../src/features/accounts/migrations.ts';
import { ownDatabase, startProcess, temporaryFolder } from './processes.ts';
import { startStack } from './stack.ts';
import { visitor } from './visitor.ts';

/** The database and object store of a data folder written by commit bd809f6, and the answers of its API. */
const FOLDER = path.join(import.meta.dirname, 'fixtures/folder-bd809f6.tar.gz');
const ANSWERS = path.join(import.meta.dirname, 'fixtures/folder-bd809f6.json');

interface Answers {
  email: string;
  password: string;
  conversations: (Pick<Conversation, 'id' | 'title'> & { messages: Pick<Message, 'id'>[] })[];
  memories: Pick<Memory, 'id' | 'text' | 'state'>[];
  personas: Pick<Persona, 'id' | 'name' | 'instructions'>[];
  files: { id: string; name: string; content: string }[];
  usage: { used: number };
  search: string[];
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
const open = () => connect(ownDatabase());

describe('the data folder of commit bd809f6', () => {
  const startFolder = async () => {
    const folder = await temporaryFolder();
    await promisify(execFile)('tar', ['xzf', FOLDER, '-C', folder]);
    const keys = JSON.parse(await readFile(path.join(folder, 's3-keys.json'), 'utf8')) as object;
    const start = async (name: 'mongo' | 's3', env = {}) => {
      const PORT = String(await getPort());
      const args = ['--dir', path.join(folder, name), '--port', PORT];
      return startProcess(`embedded-${name}`, { args, env: { ...env, PORT } });
    };
    const s3 = { ...keys, S3_BUCKET: 'stolas' };
    const [mongo, objects] = await Promise.all([start('mongo'), start('s3', s3)]);
    return {
      MONGODB_URI: `mongodb://127.0.0.1:${mongo.port}/stolas`,
      S3_ENDPOINT: objects.url,
      ...s3,
    };
  };

  it('starts with all its data, and continues', async () => {
    const was = JSON.parse(await readFile(ANSWERS, 'utf8')) as Answers;
    const stack = await startStack(await startFolder());
    const us = visitor(stack.web.url);
    const owl = us.as((await us.signIn(was.email, was.password)).body.token);
    const { body: conversations } = await owl.get<Conversation[]>('/conversations');
    const isNow = await Promise.all(
      conversations.map(async ({ id, title, activeLeafId }) => ({
        id,
        title,
        activeLeafId,
        messages: await owl.messages(id),
      })),
    );
    expect(isNow).toMatchObject(was.conversations);
    expect((await owl.get<MemoryList>('/memories')).body.memories).toMatchObject(was.memories);
    for (const persona of was.personas)
      expect((await owl.get<Persona>(`/personas/${persona.id}`)).body).toMatchObject(persona);
    expect((await owl.get<Usage>('/usage')).status).toBe(200);
    const { body: found } = await owl.get<SearchPage>('/search?q=owls');
    expect(found.results.map(({ messageId }) => messageId).toSorted()).toEqual(was.search);
    for (const { id, content } of was.files) {
      const file = await fetch(`${stack.web.url}/api/files/${id}`, {
        headers: { authorization: `Bearer ${owl.token}` },
      });
      expect(await file.text()).toBe(content);
    }
    const { status } = await owl.call('PATCH', `/conversations/${conversations[0]?.id}`, {
      title: 'Renamed',
    });
    expect(status).toBe(200);
  });
});

describe('a database of an earlier version', () => {
  const used = async (finished: string[]) => {
    const connection = await open();
    await connection.collection('users').insertOne({ email: 'owl@example.com' });
    const migrations = connection.collection<{ _id: string; finishedAt: Date }>('migrations');
    for (const _id of finished) await migrations.insertOne({ _id, finishedAt: new Date() });
    return connection;
  };

  it('is refused with a solution, also at the second start', async () => {
    const connection = await used(['0001-message-tree']);
    for (let start = 1; start <= 2; start += 1)
      await expect(migrate(connection, [firstRelease], TIMES)).rejects.toThrow(
        'Start that commit with it once',
      );
  });

  it('is accepted once the last of its migrations has run, as is a new one', async () => {
    for (const connection of [await used(['0012-message-search']), await open()])
      await expect(migrate(connection, [firstRelease], TIMES)).resolves.toEqual([]);
  });
});

describe('migrate', () => {
  const counting = (
    id: string,
    ran: string[],
    run: () => Promise<void> = async () => undefined,
  ): Migration => ({
    id,
    kind: 'expand',
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

describe('a migration that the release before cannot work with', () => {
  const contract = (ran: string[]): Migration => ({
    id: '0002-contract',
    kind: 'contract',
    run: async () => void ran.push('0002-contract'),
  });
  const MINUTE_MS = 60_000;

  it('waits until no process of an older release has announced itself for ten minutes', async () => {
    const connection = await open();
    const ran: string[] = [];
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * MINUTE_MS);
    await announceRelease(connection, { id: 'new', release: '0002-contract' });
    await announceRelease(connection, { id: 'old', release: '0001-a', now: at(9) });
    expect(await migrate(connection, [contract(ran)])).toEqual(['0002-contract']);
    expect(ran).toEqual([]);
    await announceRelease(connection, { id: 'old', release: '0001-a', now: at(11) });
    expect(await migrate(connection, [contract(ran)])).toEqual([]);
    expect(ran).toEqual(['0002-contract']);
    expect(await migrate(connection, [contract(ran)])).toEqual([]);
    expect(ran).toHaveLength(1);
  });

  it('refuses the release before from its begin on, with a solution', async () => {
    const connection = await open();
    const ran: string[] = [];
    const older: Migration = { id: '0001-a', kind: 'expand', run: async () => undefined };
    const meanwhile: Migration = {
      ...contract(ran),
      run: async () => {
        await expect(migrate(connection, [older])).rejects.toThrow('Start that release or a later');
      },
    };
    await migrate(connection, [older, meanwhile]);
    await expect(migrate(connection, [older])).rejects.toThrow('migration 0002-contract');
    // A deferred one refuses nothing.
    const other = await open();
    await announceRelease(other, { id: 'old', release: '0001-a' });
    expect(await migrate(other, [older, contract(ran)])).toEqual(['0002-contract']);
    expect(await migrate(other, [older])).toEqual([]);
  });
});
