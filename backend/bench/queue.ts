/**
 * Benchmark `queue`: how long one command blocks Redis while very many replies are active in one queue, by Redis's own slow log: lock
 * renewals, checks for lost workers, sends and ends. `npm run bench -- queue [replies]`
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { connectRedis } from '../src/db/redis.ts';
import { defineJob } from '../src/jobs/define-job.ts';
import { createProducer } from '../src/jobs/producer.ts';
import { startWorker } from '../src/jobs/worker.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';
import { startServices } from './lib/services.ts';

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
  const machine = describeMachine();
  const services = await startServices();
  const url = services.settings.REDIS_URL ?? '';
  const redis = await connectRedis(url, { retry: 'always', onError });
  const definition = defineJob({
    name: `queue-${randomUUID()}`,
    schema: z.object({ id: z.string() }),
  });
  const producer = createProducer(definition, redis);
  const ends: (() => void)[] = [];
  const worker = await startWorker(definition, {
    redis,
    concurrency: 2 * replies,
    onError,
    handle: () =>
      new Promise((resolve) => {
        ends.push(() => resolve());
      }),
  });
  const add = (count: number) =>
    Promise.all(Array.from({ length: count }, () => producer.add(randomUUID(), { id: 'bench' })));
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
    print({ machine, replies, log });
  } finally {
    for (const end of ends.splice(0)) end();
    await worker.close();
    await producer.close();
    redis.disconnect();
    await services.stop();
  }
}

function print({ machine, replies, log }: { machine: string; replies: number; log: SlowEntry[] }) {
  const longest = log.toSorted((a, b) => b[2] - a[2]);
  console.log(`\nqueue: ${replies} active replies in one queue, ${SECONDS} s\n${machine}\n`);
  printTable(
    ['command', 'blocks Redis'],
    longest
      .slice(0, SHOWN)
      .map(([, , micros, command]) => [command.slice(0, 2).join(' ').slice(0, 60), inMs(micros)]),
  );
  const most = longest[0]?.[2] ?? 0;
  printVerdicts([
    {
      promise: `no command blocks Redis for longer than ${BUDGET_MS} ms`,
      measured: most === 0 ? 'below 1 ms' : inMs(most),
      kept: most <= BUDGET_MS * 1_000,
    },
  ]);
}

const inMs = (micros: number) => `${(micros / 1_000).toFixed(1)} ms`;

await measure();
