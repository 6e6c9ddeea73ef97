import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from './stack.ts';

const TEXT = 'A short reply.';

let stack: Stack;

beforeAll(async () => {
  // With limits: they ask Redis before anything else does.
  stack = await startStack({ RATE_LIMITS: 'true' });
  stack.provider.onMessage(/.*/, { content: TEXT });
});

it('answers sends with 503 within 5 s while Redis accepts connections and is silent, then recovers', async () => {
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
  await expect.poll(async () => (await ada.reply(id)).content, { timeout: 20_000 }).toBe(TEXT);
  expect(await ada.messages(id)).toHaveLength(2);
});
