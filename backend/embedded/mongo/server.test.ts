import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deserialize } from 'bson';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Doc, decode, encode } from './bson.ts';
import { type EmbeddedMongo, startEmbeddedMongo } from './server.ts';
import { Sqlite } from './sqlite.ts';
import { Store } from './store.ts';
import { Framer, writeReply } from './wire.ts';

const OP_MSG = 2013;
/** The document of an OP_MSG starts after the header, the flags and the kind of the section. */
const BODY = 21;

let dir: string;
let server: EmbeddedMongo | undefined;
let failures: unknown[];
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'embedded-mongo-'));
  failures = [];
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

/** A database with one expired session, in which SQLite itself rolls back the transaction on `event`, as on a full disk. */
function rollBackOn(event: string): void {
  const store = new Store(dir);
  const sessions = store.ensure('app.sessions');
  const index = encode({ name: 'at_1', key: { at: 1 }, expireAfterSeconds: 0 });
  store.addIndex(sessions, decode(index));
  const session = encode({ _id: 1, at: new Date(0) });
  sessions.insert(session, decode(session));
  store.commit();
  store.close();
  const sqlite = new Sqlite(path.join(dir, 'data.sqlite'));
  sqlite.define(`create trigger full ${event} begin select raise(rollback, 'full'); end`);
  sqlite.commit();
  sqlite.close();
}

async function start(maintenanceMs: number): Promise<void> {
  const report = (error: unknown) => failures.push(error);
  server = await startEmbeddedMongo({ dir, port: 0, maintenanceMs, report });
}

/** Sends the commands in one packet, so that they share a transaction, and returns their answers. */
async function ask(...commands: Doc[]): Promise<Doc[]> {
  const message = (command: Doc) =>
    writeReply({ id: 0, opcode: OP_MSG }, { ...command, $db: 'app' });
  const socket = connect(server?.port ?? 0, '127.0.0.1');
  socket.write(Buffer.concat(commands.map(message)));
  const framer = new Framer();
  const replies: Doc[] = [];
  for await (const chunk of socket) {
    for (const reply of framer.push(chunk as Buffer))
      replies.push(deserialize(reply.subarray(BODY)));
    if (replies.length === commands.length) break;
  }
  return replies;
}

const insert = (_id: number) => ({ insert: 'notes', documents: [{ _id }] });
const storedIds = async () => {
  const [reply] = await ask({ distinct: 'notes', key: '_id' });
  return reply?.values;
};

it('refuses all commands of a transaction that SQLite has rolled back', async () => {
  rollBackOn(`before insert on collections when new.namespace = 'app.full'`);
  await start(1_000_000);
  const replies = await ask(insert(1), { create: 'full' }, insert(2));
  expect(replies).toMatchObject([{ ok: 0 }, { ok: 0 }, { ok: 0 }]);
  expect(await storedIds()).toEqual([]);
  expect(await ask(insert(3))).toMatchObject([{ ok: 1 }]);
  expect(await storedIds()).toEqual([3]);
});

it('accepts commands after SQLite has rolled back the removal of expired documents', async () => {
  rollBackOn('before delete on d1');
  await start(10);
  await expect.poll(() => failures).not.toEqual([]);
  expect(await ask(insert(1))).toMatchObject([{ ok: 1 }]);
});
