/**
 * Benchmark `soak`: the memory of each process while replies stream for a long time. A process may have at most 5% more at the end than once
 * it was warm. Redis has as many logs as replies ended in the last minute, so what it keeps once they have expired is measured instead.
 * A run of few minutes measures how the processes begin. `npm run bench -- soak [--minutes 60] [--streams 100]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isActive } from '../src/contract/messages.ts';
import type { ReplyDelta, ReplyState } from '../src/contract/replies.ts';
import { connectRedis, type Redis } from '../src/db/redis.ts';
import { cleanUp } from '../test/at-end.ts';
import { startRedis } from '../test/processes.ts';
import { forkRole } from './lib/in-child.ts';
import { usageOf } from './lib/processes.ts';
import { arrive } from './lib/receivers.ts';
import { atMost, inUnit, percent, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';
import { stampsIn } from './lib/stamped-provider.ts';

const MAX_GROWTH = 0.05;
/** What Redis may keep of an ended reply and its user once the log has expired. */
const MAX_KEPT_BYTES = 1_024;
/** In shorter runs the first half. */
const WARM_UP_MINUTES = 10;
const SAMPLE_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** 20 s of a reply. */
const CHUNKS = 500;
const PROCESSES = { web: 'web.js', worker: 'worker.js', Redis: 'redis-server' };
/** It keeps the data of all replies in memory, a production database does not. */
const DATABASE = 'embedded-mongo';
/** The processes that may not grow. */
const BOUND: readonly string[] = ['web', 'worker'];
type Name = keyof typeof PROCESSES | typeof DATABASE;
const names = [...Object.keys(PROCESSES), DATABASE] as Name[];

/** Resident memory of each process, in KB. */
type Sample = { at: number } & Record<Name, number>;

interface Streamed {
  replies: number;
  /** Replies that ended otherwise than complete, or with chunks missing. */
  broken: number;
}

async function measure(minutes: number, streams: number) {
  const server = await startRedis();
  const redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  const { product, stop } = await startStampedProduct({
    REDIS_URL: server.url,
    WORKER_CONCURRENCY: String(streams),
    PLANS: 'off',
    OCR: 'false',
  });
  const before = await bytesWithoutLogs(redis);
  const { child, measured } = forkRole<Streamed>(
    'streams',
    product.url,
    `${minutes}`,
    `${streams}`,
  );
  try {
    const samples = await sampleUntil(measured);
    const streamed = await measured;
    const keptBytes = ((await bytesWithoutLogs(redis)) - before) / streamed.replies;
    printTitle(`soak: ${minutes} min, ${streams} streams, ${streamed.replies} replies`);
    print(samples, { minutes, keptBytes, broken: streamed.broken });
  } finally {
    child.kill();
    redis.disconnect();
    await stop();
    await cleanUp();
  }
}

/** The memory that the data in Redis takes when no log of a reply is left. */
async function bytesWithoutLogs(redis: Redis): Promise<number> {
  while ((await redis.keys('reply:*')).length > 0) await sleep(SAMPLE_EVERY_MS);
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

async function sampleUntil(end: Promise<unknown>): Promise<Sample[]> {
  const samples: Sample[] = [];
  const over = new AbortController();
  const stop = () => over.abort();
  end.then(stop, stop);
  for (; !over.signal.aborted; await sleep(SAMPLE_EVERY_MS)) {
    const memory = names.map((name) => [
      name,
      usageOf(name === DATABASE ? DATABASE : PROCESSES[name]).rssKb,
    ]);
    samples.push({ at: performance.now(), ...Object.fromEntries(memory) } as Sample);
  }
  return samples;
}

/** The mean of one minute after the warm-up, against that of the last minute in which all streams ran. */
function print(
  samples: readonly Sample[],
  { minutes, keptBytes, broken }: { minutes: number; keptBytes: number; broken: number },
) {
  const begunAt = samples[0]?.at ?? 0;
  const warm = Math.min(WARM_UP_MINUTES, minutes / 2);
  const memoryAt = (minute: number, name: Name) => {
    const from = begunAt + minute * MINUTE_MS;
    const within = samples.filter(({ at }) => at >= from && at < from + MINUTE_MS);
    return within.reduce((sum, sample) => sum + sample[name], 0) / within.length / 1_024;
  };
  const rows = names.map((name) => {
    const [before, after] = [memoryAt(warm, name), memoryAt(minutes - 1, name)];
    return { name, before, after, growth: after / before - 1 };
  });
  printTable(
    ['memory', `after ${warm} min`, `after ${minutes - 1} min`, 'growth'],
    rows.map(({ name, before, after, growth }) => [
      name,
      `${before.toFixed(1)} MB`,
      `${after.toFixed(1)} MB`,
      percent(growth),
    ]),
  );
  printVerdicts([
    ...rows
      .filter(({ name }) => BOUND.includes(name))
      .map(({ name, growth }) => atMost(`${name} grows by`, growth, MAX_GROWTH, percent)),
    atMost(
      'Redis keeps of a reply once its log has expired',
      keptBytes,
      MAX_KEPT_BYTES,
      inUnit(' B', 0),
    ),
    atMost('replies that are not whole', broken, 0, String),
  ]);
}

/** Streams one reply after the other, each of a new guest with an open socket, until the time is over. */
async function streamUntil(url: string, endAt: number): Promise<Streamed> {
  const streamed = { replies: 0, broken: 0 };
  while (Date.now() < endAt) {
    const { socket, send } = await arrive(url);
    const seen = new Set<number>();
    const ended = new Promise<string>((resolve) => {
      socket.on('reply:delta', ({ delta }: ReplyDelta) => {
        for (const { n } of stampsIn(delta)) seen.add(n);
      });
      socket.on('reply:state', ({ status }: ReplyState) => {
        if (!isActive(status)) resolve(status);
      });
    });
    await send(`chunks=${CHUNKS}`);
    const status = await ended;
    socket.disconnect();
    streamed.replies += 1;
    if (status !== 'complete' || seen.size !== CHUNKS) streamed.broken += 1;
  }
  return streamed;
}

async function runStreams(url: string, minutes: number, streams: number) {
  const endAt = Date.now() + minutes * MINUTE_MS;
  const all = await Promise.all(Array.from({ length: streams }, () => streamUntil(url, endAt)));
  const sum = (of: keyof Streamed) => all.reduce((total, one) => total + one[of], 0);
  process.send?.({ replies: sum('replies'), broken: sum('broken') }, () => process.exit(0));
}

if (process.argv[2] === 'streams') {
  const [url = '', minutes, streams] = process.argv.slice(3);
  await runStreams(url, Number(minutes), Number(streams));
} else {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      streams: { type: 'string', default: '100' },
    },
  });
  await measure(Number(values.minutes), Number(values.streams));
}
