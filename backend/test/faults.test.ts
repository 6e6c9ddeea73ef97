import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DemoAllowance } from '../src/contract/auth.ts';
import type { ReplyUsage } from '../src/contract/usage.ts';
import { connectRedis } from '../src/db/redis.ts';
import { logKey } from '../src/features/chat/generation/log.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import type { Tab } from './tab.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const TEXT = longText(400);

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ SOCKETS_PER_ADDRESS: '1000' });
  stack.provider
    .onMessage('hang', { content: TEXT }, { streamingProfile: { ttft: 60_000 } })
    .onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 40 } });
});

async function talk() {
  const anna = await stack.guest();
  const id = await anna.conversation();
  const tab = await anna.tab(id);
  return { anna, id, tab };
}

/** Every attempt of the guest's only reply is settled once, and nothing else is charged: one message, and the tokens of these attempts. */
async function expectCharges(anna: ApiClient, replyId: string, attempts: number[]): Promise<void> {
  const usage = async () => (await anna.get<ReplyUsage>(`/replies/${replyId}/usage`)).body;
  const charges = async () =>
    (await usage()).entries
      .filter(({ kind }) => kind === 'reply')
      .map(({ attempt, state }) => `${attempt} ${state}`);
  await expect.poll(charges).toEqual(attempts.map((attempt) => `${attempt} settled`));
  const { tokens } = await usage();
  expect(tokens).toBeGreaterThan(0);
  const { demo } = (await anna.get<{ demo: DemoAllowance }>('/auth/user')).body;
  expect([demo.messagesLeft, demo.tokenLimit - demo.tokensLeft]).toEqual([19, tokens]);
}

describe('when a worker is killed', () => {
  it('fault 1: in the middle of a reply, another worker continues its text in every tab, as one reply', async () => {
    const { anna, id, tab } = await talk();
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await stack.worker.kill();
    const shown = tab.reply.text;
    await stack.worker.restart();
    await expect.poll(() => tab.reply.status).toBe('complete');
    const messages = await anna.messages(id);
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatchObject({ status: 'complete', content: tab.reply.text });
    expect(tab.reply.text.startsWith(shown)).toBe(true);
    // The provider of this test begins its text again.
    expect(tab.reply.text.endsWith(TEXT)).toBe(true);
    expect(TEXT.startsWith(tab.reply.text.slice(0, -TEXT.length))).toBe(true);
    await expectCharges(anna, messages[1]?.id ?? '', [1, 2]);
  });

  it('fault 1: twice in one reply, it ends as interrupted with its text', async () => {
    const { anna, id, tab } = await talk();
    await anna.send(id, 'Hello');
    for (const length of [200, 800]) {
      await expect.poll(() => tab.reply.text.length).toBeGreaterThan(length);
      await stack.worker.kill();
      await stack.worker.restart();
    }
    await expect.poll(() => tab.reply.status).toBe('interrupted');
    const reply = await anna.reply(id);
    expect(reply).toMatchObject({ status: 'interrupted', content: tab.reply.text });
    expect(tab.reply.text.length).toBeGreaterThan(800);
    await expectCharges(anna, reply.id, [1, 2]);
  });

  it('before the first word, another one restarts it', async () => {
    const { anna, id, tab } = await talk();
    const calls = () => stack.provider.getRequests().length;
    const before = calls();
    stack.provider.prependFixture({
      match: { userMessage: 'patience' },
      response: { content: 'Here it is.' },
      streamingProfile: { ttft: 3_000 },
    });
    await anna.send(id, 'patience');
    await expect.poll(calls).toBe(before + 1);
    await stack.worker.kill();
    await stack.worker.restart();
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.text).toBe('Here it is.');
    expect(tab.reply.attempt).toBe(2);
  });
});

describe('when a reply loses its worker twice before its first word', () => {
  it('fault 19: gives it up, and the queue continues', async () => {
    const { anna, id, tab } = await talk();
    const calls = () => stack.provider.getRequests().length;
    const before = calls();
    stack.provider.prependFixture({
      match: { userMessage: 'crash' },
      response: { content: TEXT },
      streamingProfile: { ttft: 60_000 },
    });
    const { reply } = (await anna.send(id, 'crash')).body;
    for (const lost of [1, 2]) {
      await expect.poll(calls).toBe(before + lost);
      await stack.worker.kill();
      await stack.worker.restart();
    }
    await expect.poll(() => tab.reply.status).toBe('failed');
    expect((await anna.reply(id)).error?.code).toBe('worker_crashed');
    expect(calls()).toBe(before + 2);
    expect(await anna.messages(id)).toHaveLength(2);
    stack.provider.prependFixture({
      match: { userMessage: 'next' },
      response: { content: 'Owls hoot.' },
    });
    await anna.send(id, 'next');
    await expect.poll(() => tab.reply.text).toBe('Owls hoot.');
    expect((await anna.messages(id)).map(({ id }) => id)).toContain(reply.id);
  });
});

describe('when a worker is asked to stop', () => {
  it('fault 3: gives what it cannot finish to another worker, which continues the text', async () => {
    const { anna, id, tab } = await talk();
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    const { code } = await stack.worker.kill('SIGTERM');
    expect(code).toBe(0);
    const left = (await anna.reply(id)).content;
    expect(left.length).toBeGreaterThan(200);
    await stack.worker.restart();
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.text).toBe(left + TEXT);
    expect((await anna.reply(id)).content).toBe(tab.reply.text);
  });
});

describe('when a web process is killed', () => {
  it('fault 4: in the middle of a reply, the tabs reconnect and miss nothing', async () => {
    const { anna, id, tab } = await talk();
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await stack.web.kill();
    await stack.web.restart();
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.text).toBe(TEXT);
    expect((await anna.reply(id)).content).toBe(TEXT);
  });

  it('fault 21: 500 tabs reconnect at once, and each is live again', async () => {
    const content = longText(20);
    stack.provider.prependFixture({ match: { userMessage: 'Back?' }, response: { content } });
    const talks = await Promise.all(Array.from({ length: 10 }, talk));
    const tabs: Tab[] = [];
    for (let n = 0; n < 49; n += 1)
      tabs.push(...(await Promise.all(talks.map(({ anna, id }) => anna.tab(id)))));
    await stack.web.kill();
    await stack.web.restart();
    // The process that has just started may be too busy for a send.
    const send = async ({ anna, id }: (typeof talks)[number]) => {
      const clientMessageId = randomUUID();
      const again = async () => (await anna.send(id, 'Back?', clientMessageId)).status;
      await expect.poll(again).toBe(202);
    };
    await Promise.all(talks.map(send));
    const ended = () => tabs.filter(({ reply }) => reply.status === 'complete');
    await expect.poll(() => ended().length).toBe(tabs.length);
    for (const { reply } of tabs) expect(reply.text).toBe(content);
  });

  it('any other web process serves the same tabs', async () => {
    const { anna, id } = await talk();
    const second = await startProcess('web', { env: stack.env });
    const elsewhere = await stack.api(anna.token, second.url).tab(id);
    await anna.send(id, 'Hello');
    await expect.poll(() => elsewhere.reply.status).toBe('complete');
    expect(elsewhere.reply.text).toBe(TEXT);
  });
});

describe('when Redis is unreachable', () => {
  it('fault 17: for 30 s, sends are refused within 5 s and kept, and everything recovers by itself', async () => {
    const { anna, id, tab } = await talk();
    await stack.redis.kill();
    const clientMessageId = randomUUID();
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(500)) {
      const begunAt = performance.now();
      const refused = await anna.send(id, 'Hello', clientMessageId);
      expect(performance.now() - begunAt).toBeLessThan(5_000);
      expect([refused.status, refused.body]).toMatchObject([503, { code: 'unavailable' }]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await stack.redis.restart();
    const send = async () => (await anna.send(id, 'Hello', clientMessageId)).status;
    await expect.poll(send).toBe(202);
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(await anna.messages(id)).toHaveLength(2);
    expect(tab.reply.text).toBe(TEXT);
  });
});

describe('when Redis restarts', () => {
  it('fault 15: in the middle of a reply, the reply is whole in every tab, and a message that waits is answered', async () => {
    const [{ anna, id, tab }, other] = [await talk(), await talk()];
    await anna.send(id, 'Hello');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await stack.redis.kill();
    const clientMessageId = randomUUID();
    expect((await other.anna.send(other.id, 'Hello', clientMessageId)).status).toBe(503);
    await stack.redis.restart();
    for (const one of [{ anna, id, tab }, other]) {
      await expect.poll(() => one.tab.reply.status).toBe('complete');
      expect((await one.anna.messages(one.id))[1]).toMatchObject({ content: one.tab.reply.text });
      expect(one.tab.reply.text).toBe(TEXT);
    }
  });
});

describe('when Redis is emptied', () => {
  it('fault 16: while a reply is generated, the reply continues, every tab has it whole, and its log expires', async () => {
    const { anna, id, tab } = await talk();
    const { reply } = (await anna.send(id, 'Hello')).body;
    const redis = await connectRedis(stack.redis.url, { retry: 'never', onError: () => {} });
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await redis.flushall();
    const key = logKey(reply);
    await expect.poll(() => redis.ttl(key)).toBeGreaterThan(0);
    const reached = tab.reply.text.length;
    const late = await anna.tab(id);
    await expect.poll(() => late.reply.text.length).toBeGreaterThan(reached);
    for (const one of [tab, late]) {
      await expect.poll(() => one.reply.status).toBe('complete');
      expect(one.reply).toMatchObject({ text: TEXT, attempt: 1 });
    }
    expect(await anna.reply(id)).toMatchObject({ content: TEXT, attempt: 1 });
    expect(await redis.ttl(key)).toBeGreaterThan(0);
    redis.disconnect();
  });
});

describe('fault 23: when a worker is cut off from Redis while its provider streams on', () => {
  // Slow enough that the provider still streams when the queue delivers the job to another worker.
  const LONG = longText(700);

  it.each([
    ['connections are closed', 'cut'],
    ['Redis does not answer', 'hang'],
  ] as const)('(%s) the reply continues, is not taken over and loses nothing', async (_, fault) => {
    const { anna, id, tab } = await talk();
    const calls = () => stack.provider.getRequests().length;
    stack.provider.prependFixture({
      match: { userMessage: `a long one, ${fault}` },
      response: { content: LONG },
      streamingProfile: { tps: 13 },
    });
    const proxy = await startTcpProxy(stack.redis.port);
    await stack.worker.kill();
    const env = { ...stack.env, REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
    const cutOff = await startProcess('worker', { env });
    const before = calls();
    await anna.send(id, `a long one, ${fault}`);
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await stack.worker.restart();
    proxy[fault]();
    const redis = await connectRedis(stack.redis.url, { retry: 'never', onError: () => {} });
    // The lock has expired, and another worker has got the job and has put it back.
    const putBack = () => redis.zcard('{replies}:replies:delayed');
    await expect.poll(putBack).toBe(1);
    const reached = tab.reply.text.length;
    proxy.restore();
    redis.disconnect();
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(reached).toBeLessThan(LONG.length);
    expect(tab.reply).toMatchObject({ text: LONG, attempt: 1 });
    expect(await anna.reply(id)).toMatchObject({ content: LONG, attempt: 1 });
    expect(calls() - before).toBe(1);
    await cutOff.kill();
  });
});
