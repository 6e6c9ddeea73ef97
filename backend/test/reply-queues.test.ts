import { beforeAll, expect, it } from 'vitest';
import type { ReplyTail } from '../src/contract/replies.ts';
import { connectRedis, type Redis } from '../src/db/redis.ts';
import { queueOfConversation } from '../src/features/chat/messages/job-id.ts';
import { atEnd } from './at-end.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

const TEXT = 'Owls hoot.';
let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  stack = await startStack({ REPLY_QUEUES: '3', WORKER_CONCURRENCY: '2' });
  redis = await connectRedis(stack.redis.url, { retry: 'never', onError: () => undefined });
  atEnd(() => redis.disconnect());
  stack.provider
    .onMessage(/^hang/, { content: TEXT }, { streamingProfile: { ttft: 60_000 } })
    .onMessage(/.*/, { content: TEXT });
});

/** A conversation whose replies wait in this queue. */
async function conversationIn(queue: number) {
  const api = await stack.guest();
  for (;;) {
    const id = await api.conversation();
    if (queueOfConversation(id, 3) === queue) return { api, id };
  }
}

async function send(queue: number, text: string) {
  const { api, id } = await conversationIn(queue);
  const { status, body } = await api.send(id, text);
  expect(status).toBe(202);
  const read = async () => (await api.get<ReplyTail>(`/replies/${body.reply.id}`)).body;
  return { api, id, reply: body.reply, read };
}

const stop = (api: ApiClient, replyId: string) => api.post(`/replies/${replyId}/stop`);
const calls = () => stack.provider.getRequests().length;
const statusOf = async ({ read }: Awaited<ReturnType<typeof send>>) => (await read()).status;
const waitingIn = async (queue: number) => {
  const name = queue === 0 ? 'replies' : `replies-${queue}`;
  return redis.zcard(`{${name}}:${name}:prioritized`);
};

it('the queues share the concurrency of a worker, and positions count all of them', async () => {
  const running = [await send(0, 'hang 1'), await send(1, 'hang 2')];
  for (const one of running) await expect.poll(() => statusOf(one)).toBe('streaming');
  // A reply streams before its provider is called.
  await expect.poll(calls).toBe(running.length);
  const before = calls();
  const waiting = [await send(0, 'A'), await send(1, 'B'), await send(2, 'C'), await send(2, 'D')];
  // The workers have no place: the jobs are in their queues, each in its own.
  await expect.poll(() => Promise.all([0, 1, 2].map(waitingIn))).toEqual([1, 1, 2]);
  expect(calls()).toBe(before);
  const positions = await Promise.all(waiting.map(async ({ read }) => (await read()).ahead));
  expect(positions).toEqual([0, 0, 0, 3]);
  const [cancelled] = [waiting[3]];
  if (cancelled) await stop(cancelled.api, cancelled.reply.id);
  expect(await waitingIn(2)).toBe(1);
  for (const { api, reply } of running) await stop(api, reply.id);
  for (const one of waiting.slice(0, 3)) await expect.poll(() => statusOf(one)).toBe('complete');
  expect(calls()).toBe(before + 3);
});

it('REPLY_QUEUES from 3 to 1 and back to 3 loses and doubles no reply', async () => {
  await stack.worker.kill('SIGTERM');
  const before = calls();
  const ofThree = [await send(0, 'E'), await send(1, 'F'), await send(2, 'G')];
  expect(await Promise.all([0, 1, 2].map(waitingIn))).toEqual([1, 1, 1]);

  const one = { ...stack.env, REPLY_QUEUES: '1' };
  const worker = await startProcess('worker', { env: one });
  for (const reply of ofThree) await expect.poll(() => statusOf(reply)).toBe('complete');
  // A web process of three queues goes on while the worker has one.
  const late = await send(2, 'H');
  await expect.poll(() => statusOf(late)).toBe('complete');

  const web = await startProcess('web', { env: one });
  await worker.kill('SIGTERM');
  const { api, id } = await conversationIn(2);
  const ofOne = stack.api(api.token, web.url);
  const { reply } = (await ofOne.send(id, 'I')).body;
  expect(await Promise.all([0, 1, 2].map(waitingIn))).toEqual([1, 0, 0]);

  await stack.worker.restart();
  const read = async () => (await api.get<ReplyTail>(`/replies/${reply.id}`)).body.status;
  await expect.poll(read).toBe('complete');
  // The next reply of the same conversation waits in its queue of three.
  const { body } = await api.send(id, 'J');
  const next = async () => (await api.get<ReplyTail>(`/replies/${body.reply.id}`)).body.status;
  await expect.poll(next).toBe('complete');
  expect(calls()).toBe(before + 6);
});

it('waiting replies of every queue are enqueued again when Redis is emptied', async () => {
  await stack.worker.kill('SIGTERM');
  const before = calls();
  const lost = [await send(0, 'K'), await send(1, 'L'), await send(2, 'M')];
  await redis.flushall();
  await stack.worker.restart();
  for (const reply of lost) await expect.poll(() => statusOf(reply)).toBe('complete');
  expect(calls()).toBe(before + 3);
});
