import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownDatabase } from '../../test/processes.ts';
import { type Connection, connectMongo, isStandalone } from './mongo.ts';

let connection: Connection;
beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
});
afterAll(() => connection.close());

it('acknowledges a write only when it is on disk on a majority of the members', () => {
  expect(connection.getClient().options.writeConcern).toMatchObject({
    w: 'majority',
    journal: true,
  });
});

it('reads the latest state of the primary, whatever its URI says', async () => {
  const address = new URL(ownDatabase());
  for (const [name, value] of Object.entries({
    readPreference: 'secondaryPreferred',
    readConcernLevel: 'available',
    w: '1',
    journal: 'false',
  }))
    address.searchParams.set(name, value);
  const other = await connectMongo(address.href);
  const { readPreference, readConcern, writeConcern } = other.getClient().options;
  await other.close();
  expect([readPreference?.mode, readConcern?.level]).toEqual(['primary', 'local']);
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
});

it('ends a command of a request, with the repetition on a new connection, within 5 s', async () => {
  const requests = await connectMongo(ownDatabase(), 'requests');
  const { options } = requests.getClient();
  await requests.close();
  const { socketTimeoutMS, connectTimeoutMS, serverSelectionTimeoutMS, waitQueueTimeoutMS } =
    options;
  for (const first of [socketTimeoutMS, waitQueueTimeoutMS])
    for (const second of [socketTimeoutMS, connectTimeoutMS, serverSelectionTimeoutMS]) {
      expect(Math.min(first, second)).toBeGreaterThan(0);
      expect(first + second).toBeLessThan(5_000);
    }
});

it('recognises a standalone server', async () => {
  expect(await isStandalone(connection)).toBe(true);
});

it('waits at the start for a server that refuses its first connections', async () => {
  const address = new URL(ownDatabase());
  const { port, hostname } = address;
  let connections = 0;
  const gate = createServer((socket) => {
    connections += 1;
    const server = connect(Number(port), hostname);
    for (const end of [socket, server]) end.on('error', () => end.destroy());
    if (connections <= 3) for (const end of [socket, server]) end.destroy();
    else socket.pipe(server).pipe(socket);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  address.port = String((gate.address() as AddressInfo).port);
  const late = await connectMongo(address.href, 'requests');
  expect(late.readyState).toBe(1);
  expect(connections).toBeGreaterThan(3);
  await late.close();
  gate.close();
});
