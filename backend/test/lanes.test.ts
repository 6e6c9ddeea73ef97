import { beforeAll, expect, it } from 'vitest';
import type { ReplyState, ReplyTail } from '../src/contract/replies.ts';
import { connectRedis } from '../src/db/redis.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

let stack: Stack;

beforeAll(async () => {
  // One reply at a time, so that all others wait.
  stack = await startStack({ WORKER_CONCURRENCY: '1' });
  stack.provider
    .onMessage(/^hang/, { content: 'Too late' }, { streamingProfile: { ttft: 60_000 } })
    .onMessage(/.*/, { content: 'Owls hoot.' });
});

/** A guest who has sent a message, with every state of the reply that their tab received. */
async function send(text: string) {
  const api = await stack.guest();
  const id = await api.conversation();
  const tab = await api.tab(id);
  const states: ReplyState[] = [];
  tab.socket.on('reply:state', (state) => states.push(state));
  const { reply } = (await api.send(id, text)).body;
  const read = async () => (await api.get<ReplyTail>(`/replies/${reply.id}`)).body;
  return { api, reply, states, read };
}

const stop = (api: ApiClient, replyId: string) => api.post(`/replies/${replyId}/stop`);
const asked = () =>
  stack.provider
    .getRequests()
    .map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1)));

it('a waiting reply counts down in its tab and in its tail until it starts', async () => {
  const first = await send('hang 1');
  await expect.poll(async () => (await first.read()).status).toBe('streaming');
  const second = await send('hang 2');
  const third = await send('Hello');
  await expect.poll(() => third.states.at(-1)).toMatchObject({ status: 'queued', ahead: 1 });
  expect(await third.read()).toMatchObject({ status: 'queued', ahead: 1 });
  await expect.poll(() => second.states.at(-1)).toMatchObject({ status: 'queued', ahead: 0 });
  await stop(first.api, first.reply.id);
  await expect.poll(() => third.states.at(-1)).toMatchObject({ status: 'queued', ahead: 0 });
  expect(second.states.at(-1)).toMatchObject({ status: 'streaming' });
  expect(second.states.at(-1)).not.toHaveProperty('ahead');
  await stop(second.api, second.reply.id);
  await expect.poll(async () => (await third.read()).status).toBe('complete');
  expect(await third.read()).not.toHaveProperty('ahead');
});

it('a waiting reply that is stopped never runs', async () => {
  const first = await send('hang 3');
  await expect.poll(async () => (await first.read()).status).toBe('streaming');
  const second = await send('never asked');
  await stop(second.api, second.reply.id);
  expect(await second.read()).toMatchObject({ status: 'stopped' });
  await stop(first.api, first.reply.id);
  const third = await send('Hello again');
  await expect.poll(async () => (await third.read()).status).toBe('complete');
  expect(asked().join()).not.toContain('never asked');
});

it('a reply that lost its worker restarts before the waiting ones', async () => {
  const lost = await send('hang 4');
  await expect.poll(() => asked().at(-1)).toContain('hang 4');
  const [next, last] = [await send('hang 5'), await send('hang 6')];
  const before = asked().length;
  await stack.worker.kill();
  await stack.worker.restart();
  await expect.poll(() => asked().length).toBeGreaterThan(before);
  // The job of the lost reply is redelivered when its lock has expired, before or after the worker took the next one.
  await expect.poll(async () => (await last.read()).ahead).toBe(1);
  await stop(next.api, next.reply.id);
  await expect.poll(() => asked().at(-1)).toContain('hang 4');
  expect(await last.read()).toMatchObject({ status: 'queued', ahead: 0 });
  for (const one of [last, lost]) await stop(one.api, one.reply.id);
  await expect.poll(async () => (await lost.read()).status).toBe('stopped');
});

it('waiting replies are enqueued again and complete when Redis is emptied', async () => {
  const first = await send('hang 7');
  await expect.poll(async () => (await first.read()).status).toBe('streaming');
  const waiting = [await send('One'), await send('Two')];
  const redis = await connectRedis(stack.redis.url, {
    retry: 'never',
    onError: () => undefined,
  });
  await redis.flushall();
  redis.disconnect();
  await stop(first.api, first.reply.id);
  for (const one of waiting)
    await expect.poll(async () => (await one.read()).status).toBe('complete');
});
