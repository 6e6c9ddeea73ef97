/**
 * Benchmark `queue`: how long one command blocks Redis while very many replies are active, by Redis's own slow log: lock renewals, checks
 * for lost workers, sends and ends. `npm run bench -- queue [replies] [queues]`
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServices } from '../../frontend/e2e/product.ts';
import { MAX_REPLY_QUEUES } from '../src/config.ts';
import { connectRedis } from '../src/db/redis.ts';
import { replyJob } from '../src/features/chat/generation/reply-queues.ts';
import { createProducer } from '../src/jobs/producer.ts';
import { startWorker } from '../src/jobs/worker.ts';
import { atMost, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';

const BUDGET_MS = 10;
/** Longer than two checks for lost workers. */
const SECONDS = 60;
const ADDED_AT_ONCE = 200;
const SHOWN = 8;

const onError = (error: unknown) => {
  throw error;
};

type SlowEntry = [id: number, at: number, micros: number, command: string[]];

async function measure() {
  const replies = Number(process.argv[2] ?? 20_000);
  const queues = Number(process.argv[3] ?? MAX_REPLY_QUEUES);
  const services = await startServices({ OPENAI_API_KEY: 'bench' });
  const url = services.settings.REDIS_URL ?? '';
  const redis = await connectRedis(url, { retry: 'always', onError });
  const ends: (() => void)[] = [];
  const open = async (queue: number) => {
    const definition = { ...replyJob, name: `bench-replies-${queue}` };
    const producer = createProducer(definition, redis);
    const worker = await startWorker(definition, {
      redis,
      concurrency: 2 * replies,
      onError,
      handle: () =>
        new Promise((resolve) => {
          ends.push(() => resolve());
        }),
    });
    return { producer, worker };
  };
  const opened = await Promise.all(Array.from({ length: queues }, (_, queue) => open(queue)));
  let next = 0;
  const addOne = async () => {
    const { producer } = opened[next++ % queues] ?? {};
    await producer?.add(randomUUID(), { replyId: 'bench', conversationId: 'bench' });
  };
  const add = (count: number) => Promise.all(Array.from({ length: count }, addOne));
  try {
    for (let added = 0; added < replies; added += ADDED_AT_ONCE) await add(ADDED_AT_ONCE);
    while (ends.length < replies) await sleep(100);
    await redis.config('SET', 'slowlog-log-slower-than', '1000');
    await redis.config('SET', 'slowlog-max-len', '10000');
    await redis.call('SLOWLOG', 'RESET');
    // As many replies end as begin.
    for (let second = 0; second < SECONDS; second += 1) {
      for (const end of ends.splice(0, 20)) end();
      await add(20);
      await sleep(1_000);
    }
    const log = (await redis.call('SLOWLOG', 'GET', '-1')) as SlowEntry[];
    printTitle(`queue: ${replies} active replies in ${queues} queues, ${SECONDS} s`);
    print(log);
  } finally {
    for (const end of ends.splice(0)) end();
    await Promise.all(opened.map(({ worker }) => worker.close()));
    await Promise.all(opened.map(({ producer }) => producer.close()));
    redis.disconnect();
    await services.stop();
  }
}

function print(log: SlowEntry[]) {
  const longest = log.toSorted((a, b) => b[2] - a[2]);
  printTable(
    ['command', 'blocks Redis'],
    longest
      .slice(0, SHOWN)
      .map(([, , micros, command]) => [command.slice(0, 2).join(' ').slice(0, 60), inMs(micros)]),
  );
  const most = (longest[0]?.[2] ?? 0) / 1_000;
  // The log has no command below 1 ms.
  printVerdicts([atMost('a command blocks Redis', most, BUDGET_MS, inUnit(' ms'))]);
}

const inMs = (micros: number) => `${(micros / 1_000).toFixed(1)} ms`;

await measure();
