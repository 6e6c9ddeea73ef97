import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type EmbeddedMongo, startEmbeddedMongo } from './server.ts';

type Fields = { _id: number } & Record<string, unknown>;

/** A server for this test file; every test has a separate collection. A failure of the server fails the test. */
export function setUpServer() {
  const failures: unknown[] = [];
  let dir: string;
  let server: EmbeddedMongo;
  let connection: mongoose.Connection;
  let collections = 0;
  const own = () => connection.collection<Fields>(`own${collections}`);
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-'));
    const report = (error: unknown) => failures.push(error);
    server = await startEmbeddedMongo({ dir, port: 0, maintenanceMs: 50, report });
    const uri = `mongodb://127.0.0.1:${server.port}/test`;
    connection = await mongoose.createConnection(uri).asPromise();
  });
  afterAll(async () => {
    await connection.close();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    collections++;
  });
  afterEach(() => {
    if (failures.length > 0) throw new AggregateError(failures.splice(0), 'The server failed.');
  });
  return own;
}
