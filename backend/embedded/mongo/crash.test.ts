import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildEmbedded } from '../build.mjs';

// Inside the workspace, because the bundle loads its packages from node_modules.
const scripts = path.join(import.meta.dirname, `../.cache/test/${process.pid}`);
let dir: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  await buildEmbedded({ outdir: scripts, names: ['embedded-mongo'] });
  dir = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-'));
});

afterAll(async () => {
  child?.kill('SIGKILL');
  await Promise.all([scripts, dir].map((folder) => rm(folder, { recursive: true, force: true })));
});

async function start(): Promise<Connection> {
  const script = path.join(scripts, 'embedded-mongo.js');
  child = spawn(process.execPath, [script, '--dir', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child?.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
    child?.stdout?.once('data', (text: Buffer) =>
      resolve(String(text).replace('ready', '').trim()),
    );
  });
  // Writes that the end of the process interrupts wait this long for another server, and once more.
  const options = { serverSelectionTimeoutMS: 5_000 };
  return mongoose.createConnection(`mongodb://127.0.0.1:${port}/test`, options).asPromise();
}

async function end(signal: 'SIGKILL' | 'SIGTERM', connection: Connection): Promise<unknown> {
  const exited = child && once(child, 'exit');
  child?.kill(signal);
  const [code] = (await exited) ?? [];
  await connection.close(true);
  return code;
}

test('acknowledged writes survive kill -9 and a clean stop', async () => {
  let connection = await start();
  await connection.collection('docs').createIndex({ n: 1 }, { unique: true });
  await connection.collection('docs').createIndex({ text: 'text' });
  const acknowledged: number[] = [];
  let counted = 0;
  let next = 0;
  const write = async () => {
    const counters = connection.collection<{ _id: string }>('counters');
    for (;;) {
      const n = next++;
      await connection.collection('docs').insertOne({ n, text: `word number${n}` });
      acknowledged.push(n);
      await counters.updateOne({ _id: 'all' }, { $inc: { value: 1 } }, { upsert: true });
      counted++;
    }
  };
  const writers = [write(), write(), write(), write()].map((writer) =>
    writer.catch(() => undefined),
  );
  await expect.poll(() => counted).toBeGreaterThan(300);
  await end('SIGKILL', connection);
  await Promise.all(writers);

  connection = await start();
  const found = new Set(await connection.collection('docs').distinct('n'));
  expect(acknowledged.filter((n) => !found.has(n))).toEqual([]);
  for (const n of [acknowledged[0], acknowledged.at(-1)]) {
    const search = { $text: { $search: `number${n}` } };
    expect(await connection.collection('docs').distinct('n', search)).toEqual([n]);
  }
  const searchable = { $text: { $search: 'word' } };
  expect(await connection.collection('docs').countDocuments(searchable)).toBe(found.size);
  const counter = await connection.collection('counters').findOne();
  expect(counter?.value).toBeGreaterThanOrEqual(counted);
  expect(counter?.value).toBeLessThanOrEqual(counted + writers.length);
  await expect(
    connection.collection('docs').insertOne({ n: acknowledged[0] }),
  ).rejects.toMatchObject({ code: 11_000 });
  expect(await end('SIGTERM', connection)).toBe(0);

  connection = await start();
  expect(await connection.collection('docs').countDocuments()).toBe(found.size);
  await end('SIGTERM', connection);
});
