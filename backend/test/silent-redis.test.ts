import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { INSPECTED, openHeap } from './heap.ts';
import { type Stack, startStack } from './stack.ts';

const TEXT = 'A short reply.';

let stack: Stack;

beforeAll(async () => {
  // With limits, which call Redis before anything else does.
  stack = await startStack({ RATE_LIMITS: 'true' });
  stack.provider.onMessage(/.*/, { content: TEXT });
});

it('fault 24: answers sends with 503 within 5 s while Redis accepts connections and is silent, then recovers', async () => {
  const ada = await stack.guest();
  const id = await ada.conversation();
  // A frozen process: the system still accepts its connections.
  stack.redis.signal('SIGSTOP');
  const clientMessageId = randomUUID();
  const send = async () => {
    const startedAt = performance.now();
    const answer = await ada.send(id, 'Hello', clientMessageId);
    return { ...answer, ms: performance.now() - startedAt };
  };
  const refused = await send();
  expect([refused.status, refused.body]).toMatchObject([503, { code: 'unavailable' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(5);
  expect(refused.ms).toBeLessThan(5_000);
  const others = await Promise.all(Array.from({ length: 20 }, send));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 503));

  stack.redis.signal('SIGCONT');
  await expect.poll(async () => (await send()).status).toBe(202);
  await expect.poll(async () => (await ada.reply(id)).content).toBe(TEXT);
  expect(await ada.messages(id)).toHaveLength(2);
});

it('refuses many sends in a row, keeps nothing of them in memory, then recovers', async () => {
  // Without limits, which would refuse so many calls themselves.
  const unlimited = await startStack(INSPECTED);
  unlimited.provider.onMessage(/.*/, { content: TEXT });
  const ada = await unlimited.guest();
  const id = await ada.conversation();
  const text = 'x'.repeat(20_000);
  const clientMessageId = randomUUID();
  const refuse = async () => {
    const { status, headers } = await ada.send(id, text, clientMessageId);
    return { status, wait: Number(headers.get('retry-after')) };
  };
  const answers: Awaited<ReturnType<typeof refuse>>[] = [];
  const refuseMany = async (rounds: number) => {
    for (let n = 0; n < rounds; n += 1)
      answers.push(...(await Promise.all(Array.from({ length: 50 }, refuse))));
  };
  const heap = await openHeap(unlimited.web);
  unlimited.redis.signal('SIGSTOP');
  // Warms the process up.
  await refuseMany(3);
  const before = await heap();
  await refuseMany(8);
  // Commands that Redis does not answer are dropped after 2.5 s. Their texts would take 8 MB.
  const growth = async () => (await heap()) - before;
  await expect.poll(growth).toBeLessThan((8 * 50 * text.length) / 4);

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(answers.filter(({ wait }) => !(wait > 0 && wait <= 5))).toEqual([]);

  unlimited.redis.signal('SIGCONT');
  await expect.poll(async () => (await ada.send(id, text, clientMessageId)).status).toBe(202);
  await expect.poll(async () => (await ada.reply(id)).content).toBe(TEXT);
});

it('fault 14: a refused message that is stored counts as sent: others wait for its reply, and it is answered after recovery', async () => {
  const bob = await stack.guest();
  const id = await bob.conversation();
  stack.redis.signal('SIGSTOP');
  expect((await bob.send(id, 'Hello')).status).toBe(503);
  const other = await bob.send(id, 'Something else');
  expect([other.status, other.body]).toMatchObject([409, { code: 'reply_in_progress' }]);
  stack.redis.signal('SIGCONT');
  // Without a repeated send, the sweeper enqueues it.
  await expect.poll(async () => (await bob.reply(id)).content).toBe(TEXT);
  expect(await bob.messages(id)).toHaveLength(2);
});
