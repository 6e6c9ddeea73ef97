import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import { proxyDatabase } from './database-proxy.ts';
import { startProcess, type TestProcess, temporaryFolder } from './processes.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';

const TEXT = longText(200);

let database: TestProcess;
let stack: Stack;
let ada: ApiClient;
let id: string;
/** What the database answers to all commands but those about itself: the code of an election's error. */
let election: number | undefined;

const OF_SERVER = /^(hello|ismaster|ping|buildinfo|endsessions)$/i;
const answerOf = (command: object) => {
  const [verb = ''] = Object.keys(command);
  if (election === undefined || OF_SERVER.test(verb)) return undefined;
  return { ok: 0, code: election, errmsg: 'It is not primary.' };
};

/** A separate database that the test may freeze and kill. */
beforeAll(async () => {
  const port = String(await freePort());
  const args = ['--dir', await temporaryFolder(), '--port', port];
  database = await startProcess('embedded-mongo', { args, env: { PORT: port } });
  // A server of a replica set tells its clients about an election; this one says every 500 ms that it is the primary.
  const uri = `mongodb://127.0.0.1:${port}/stolas?heartbeatFrequencyMS=500`;
  const proxy = await proxyDatabase(uri, answerOf);
  stack = await startStack({ MONGODB_URI: proxy.uri });
  stack.provider
    .onMessage('slow', { content: TEXT }, { streamingProfile: { tps: 20 } })
    .onMessage(/.*/, { content: TEXT });
});

beforeEach(async () => {
  ada = await stack.guest();
  id = await ada.conversation();
  return () => {
    election = undefined;
    database.signal('SIGCONT');
  };
});

const ready = () => fetch(`${stack.web.url}/api/health/ready`);
const texts = async () => (await ada.messages(id)).map(({ content }) => content);

describe('fault 30: a database that accepts connections and is silent', () => {
  // More concurrent calls than the process has connections to the database.
  it.each([1, 40])(
    'answers %d sends, and calls of other routes, with 503 while it lasts',
    async (count) => {
      database.signal('SIGSTOP');
      const clientMessageId = randomUUID();
      const begun = performance.now();
      const many = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call));
      const [sends, lists, reads, changes] = await Promise.all([
        many(() => ada.send(id, 'Hello', clientMessageId)),
        many(() => ada.get('/conversations')),
        many(() => ada.get(`/conversations/${id}/messages`)),
        many(() => ada.patch(`/conversations/${id}`, { title: 'Another title' })),
      ]);
      // The database is still silent, so only a timeout can have ended these calls. Without ours, the driver takes longer.
      expect(performance.now() - begun).toBeLessThan(40_000);
      for (const { status, body, headers } of [...sends, ...lists, ...reads, ...changes]) {
        expect([status, body]).toMatchObject([503, { code: 'unavailable' }]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await ready()).status).toBe(503);

      database.signal('SIGCONT');
      const send = () => ada.send(id, 'Hello', clientMessageId);
      await expect.poll(async () => (await send()).status).toBe(202);
      await expect.poll(texts).toEqual(['Hello', TEXT]);
      await expect.poll(async () => (await ready()).status).toBe(200);
    },
  );

  it('loses no part of a running reply, and duplicates none', async () => {
    const tab = await ada.tab(id);
    const calls = () => stack.provider.getRequests().length;
    const before = calls();
    await ada.send(id, 'slow');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    database.signal('SIGSTOP');
    expect((await ada.get('/conversations')).status).toBe(503);
    database.signal('SIGCONT');
    await expect.poll(() => tab.reply.status).toBe('complete');
    await expect.poll(texts).toEqual(['slow', TEXT]);
    expect([tab.reply.text, calls() - before]).toEqual([TEXT, 1]);
  });
});

it('fault 18: a database that is killed after it has acknowledged a send has the message, and its reply follows', async () => {
  const { status } = await ada.send(id, 'Hello');
  await database.kill();
  expect(status).toBe(202);
  expect((await ada.get('/conversations')).status).toBe(503);
  await database.restart();
  await expect.poll(async () => (await ada.get('/conversations')).status).toBe(200);
  await expect.poll(texts).toEqual(['Hello', TEXT]);
});

describe('an election of the database', () => {
  // NotWritablePrimary, NotPrimaryNoSecondaryOk, PrimarySteppedDown, InterruptedDueToReplStateChange, ShutdownInProgress
  it.each([10107, 13435, 189, 11602, 91])(
    'with error %d answers 503, says when to ask again, and then takes the same send once',
    async (code) => {
      election = code;
      const clientMessageId = randomUUID();
      const send = () => ada.send(id, 'Hello', clientMessageId);
      for (const { status, body, headers } of [
        await send(),
        await ada.get('/conversations'),
        await ada.patch(`/conversations/${id}`, { title: 'Another title' }),
      ]) {
        expect([status, body]).toMatchObject([503, { code: 'unavailable' }]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      election = undefined;
      await expect.poll(async () => (await send()).status).toBe(202);
      await send();
      await expect.poll(texts).toEqual(['Hello', TEXT]);
    },
  );

  it('loses no part of a running reply, and duplicates none', async () => {
    const tab = await ada.tab(id);
    await ada.send(id, 'slow');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    election = 189;
    const { length } = tab.reply.text;
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(length + 200);
    election = undefined;
    await expect.poll(() => tab.reply.status).toBe('complete');
    await expect.poll(texts).toEqual(['slow', TEXT]);
    expect(tab.reply.text).toBe(TEXT);
  });
});
