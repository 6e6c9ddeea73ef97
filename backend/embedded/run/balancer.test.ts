import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createBalancer } from './balancer.ts';
import { freePort } from './ports.ts';

const running: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop();
});

/** A web process that answers with its name, and what it says of its readiness. */
async function startWeb(name: string, port?: number) {
  const state = { isReady: true };
  const server = createServer((request, response) => {
    if (request.url === '/api/health/ready') response.statusCode = state.isReady ? 200 : 503;
    response.end(name);
  });
  const taken = await listen(server, port);
  const kill = () => {
    server.close();
    server.closeAllConnections();
  };
  running.push(kill);
  return { state, port: taken, kill };
}

async function listen(server: Server | ReturnType<typeof createBalancer>['server'], port?: number) {
  const free = port ?? (await freePort());
  server.listen(free, '127.0.0.1');
  await once(server, 'listening');
  return free;
}

async function startBalancer(ports: number[]) {
  const { server, close } = createBalancer(ports);
  running.push(close);
  return `http://127.0.0.1:${await listen(server)}`;
}

/** One request on a connection of its own. */
const ask = (url: string) =>
  fetch(url, { headers: { connection: 'close' } }).then((answer) => answer.text());

/** The answers of several connections. */
const served = async (url: string) =>
  (await Promise.all(Array.from({ length: 6 }, () => ask(url)))).toSorted().join('');

it('gives the processes connections in turn', async () => {
  const [one, two, three] = [await startWeb('a'), await startWeb('b'), await startWeb('c')];
  const url = await startBalancer([one.port, two.port, three.port]);
  await expect.poll(() => served(url)).toBe('aabbcc');
});

it('gives a process none while it is not ready, and again when it is', async () => {
  const [one, two] = [await startWeb('a'), await startWeb('b')];
  one.state.isReady = false;
  const url = await startBalancer([one.port, two.port]);
  await expect.poll(() => served(url)).toBe('bbbbbb');
  one.state.isReady = true;
  await expect.poll(() => served(url)).toBe('aaabbb');
});

it('gives a connection that a killed process refuses to another one', async () => {
  const [one, two] = [await startWeb('a'), await startWeb('b')];
  const url = await startBalancer([one.port, two.port]);
  await expect.poll(() => served(url)).toBe('aaabbb');
  one.kill();
  expect(await served(url)).toBe('bbbbbb');
});

it('lets a process answer that is not ready when there is no other', async () => {
  const only = await startWeb('a');
  only.state.isReady = false;
  const url = await startBalancer([only.port]);
  expect(await ask(url)).toBe('a');
});

it('ends the connection of a client when its process is gone', async () => {
  const one = await startWeb('a');
  const url = new URL(await startBalancer([one.port]));
  const client = connect(Number(url.port), url.hostname);
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(client, 'data');
  client.on('error', () => undefined);
  one.kill();
  await expect.poll(() => client.closed).toBe(true);
});
