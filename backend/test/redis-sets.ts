import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import { startProgram } from '../embedded/run/program.ts';
import { atEnd } from './at-end.ts';
import {
  manage,
  redisProgram,
  startRedis,
  type TestProcess,
  temporaryFolder,
} from './processes.ts';
import { type Tls, tlsSettings } from './redis-tls.ts';

// Sets of Redis servers as operators run them: a Cluster, and a primary with replicas and Sentinels. They end with the test file.

/** A server of a set, with a client for the test's own commands. */
export interface Node {
  process: TestProcess;
  redis: Redis;
}

const SLOTS = 16_384;
const WAIT = { interval: 200 };
/** A failed primary is replaced after about this time. Long enough for machines on which processes wait for a CPU. */
const FAILURE_MS = 3_000;

export interface SetOptions {
  /** Every connection is encrypted. */
  tls?: Tls;
  /** False for tests in which no server fails: a primary that waits long for a CPU is not replaced. */
  failover?: boolean;
}

const failureMsOf = ({ failover = true }: SetOptions) => (failover ? FAILURE_MS : 100 * FAILURE_MS);

/** A client for the test's own commands. */
function clientOf({ port }: Pick<TestProcess, 'port'>, tls?: Tls): Redis {
  const redis = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: null,
    ...(tls && { tls: { ca: readFileSync(tls.authority) } }),
  });
  redis.on('error', () => undefined);
  atEnd(() => redis.disconnect());
  return redis;
}

async function startNode(tls?: Tls, settings: Record<string, string> = {}): Promise<Node> {
  const process = await startRedis((port) => ({
    ...(tls && tlsSettings(tls, port)),
    ...settings,
  }));
  return { process, redis: clientOf(process, tls) };
}

const urlsOf = (servers: readonly Pick<TestProcess, 'port'>[], tls?: Tls): string =>
  servers.map(({ port }) => `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`).join(',');

/** A Redis Cluster; the first nodes of the list are the primaries. */
export interface TestCluster {
  nodes: Node[];
  /** The settings of a product that uses it. */
  env: { REDIS_MODE: string; REDIS_URL: string };
  /** The node that serves a slot now. */
  primaryOf: (slot: number) => Promise<Node>;
  /** The slot of a key or channel. */
  slotOf: (key: string) => Promise<number>;
  /** Moves a slot with its keys to another primary. */
  moveSlot: (slot: number) => Promise<void>;
}

/** Starts a Cluster of 3 primaries with a replica each, and waits until it serves. */
export async function startRedisCluster(options: SetOptions = {}): Promise<TestCluster> {
  const { tls } = options;
  const nodes = await Promise.all(
    Array.from({ length: 6 }, async () =>
      startNode(tls, {
        ...(tls && { 'tls-cluster': 'yes' }),
        'cluster-enabled': 'yes',
        'cluster-port': String(await freePort()),
        'cluster-node-timeout': String(failureMsOf(options)),
      }),
    ),
  );
  await join(nodes);
  const primaryOf = async (slot: number) => {
    for (const node of nodes) {
      const ranges = await rangesOf(node);
      if (ranges.some(([first, last]) => first <= slot && slot <= last)) return node;
    }
    throw new Error(`No node serves slot ${slot}.`);
  };
  return {
    nodes,
    env: {
      REDIS_MODE: 'cluster',
      REDIS_URL: urlsOf(
        nodes.map(({ process }) => process),
        tls,
      ),
    },
    primaryOf,
    slotOf: (key) => (nodes[1] as Node).redis.cluster('KEYSLOT', key),
    moveSlot: async (slot) => {
      const from = await primaryOf(slot);
      const to = await primaryOf((slot + SLOTS / 2) % SLOTS);
      await moveSlot(slot, { from, to, all: nodes });
    },
  };
}

const idOf = ({ redis }: Node) => redis.cluster('MYID');

async function join(nodes: Node[]): Promise<void> {
  const primaries = nodes.slice(0, 3);
  const share = Math.ceil(SLOTS / primaries.length);
  for (const [index, { redis }] of primaries.entries()) {
    const range = [index * share, Math.min(SLOTS, (index + 1) * share) - 1] as const;
    await redis.cluster('ADDSLOTSRANGE', ...range);
  }
  const [first, ...others] = nodes as [Node, ...Node[]];
  for (const { process, redis } of others) {
    const [, busPort = ''] = await redis.config('GET', 'cluster-port');
    await first.redis.call('CLUSTER', 'MEET', '127.0.0.1', process.port, busPort);
  }
  const known = async () =>
    Math.min(
      ...(await Promise.all(
        nodes.map(async ({ redis }) =>
          Number(/cluster_known_nodes:(\d+)/.exec(await redis.cluster('INFO'))?.[1]),
        ),
      )),
    );
  await expect.poll(known, WAIT).toBe(nodes.length);
  for (const [index, { redis }] of nodes.slice(3).entries())
    await redis.cluster('REPLICATE', await idOf(primaries[index] as Node));
  const states = () => Promise.all(nodes.map(({ redis }) => redis.cluster('INFO')));
  const isServed = async () => (await states()).every((info) => info.includes('cluster_state:ok'));
  await expect.poll(isServed, WAIT).toBe(true);
  await expect.poll(() => linksUp(nodes.slice(3)), WAIT).toBe(true);
}

/** Whether all replicas have the data of their primaries. */
async function linksUp(replicas: Node[]): Promise<boolean> {
  const infos = await Promise.all(replicas.map(({ redis }) => redis.info('replication')));
  return infos.every((info) => info.includes('master_link_status:up'));
}

/** The slots that a node serves as primary; none while it does not answer. */
async function rangesOf({ process, redis }: Node): Promise<[number, number][]> {
  if (redis.status !== 'ready') return [];
  const text = await redis.cluster('NODES').catch(() => '');
  const own = String(text)
    .split('\n')
    .find((line) => line.includes('myself'));
  if (!own?.includes('master') || !own.includes(`:${process.port}@`)) return [];
  return own
    .split(' ')
    .slice(8)
    .filter((part) => /^\d/.test(part))
    .map((part) => {
      const [first, last = first] = part.split('-').map(Number) as [number, number?];
      return [first, last];
    });
}

/** As `redis-cli --cluster reshard` does it. */
async function moveSlot(
  slot: number,
  { from, to, all }: { from: Node; to: Node; all: Node[] },
): Promise<void> {
  const [source, target] = [await idOf(from), await idOf(to)];
  await to.redis.cluster('SETSLOT', slot, 'IMPORTING', source);
  await from.redis.cluster('SETSLOT', slot, 'MIGRATING', target);
  for (;;) {
    const keys = await from.redis.cluster('GETKEYSINSLOT', slot, 100);
    if (keys.length === 0) break;
    const place = ['127.0.0.1', to.process.port, '', 0, 10_000, 'KEYS', ...keys];
    await from.redis.call('MIGRATE', ...place);
  }
  for (const { redis } of [to, from, ...all])
    await redis.cluster('SETSLOT', slot, 'NODE', target).catch(() => undefined);
}

/** A primary with replicas, watched by Sentinels. */
export interface TestSentinels {
  nodes: Node[];
  sentinels: TestProcess[];
  env: { REDIS_MODE: string; REDIS_URL: string; REDIS_SENTINEL_NAME: string };
}

const SENTINEL_NAME = 'stolas';

/** Starts a primary, two replicas and 3 Sentinels, and waits until the Sentinels know each other. */
export async function startSentinels(options: SetOptions = {}): Promise<TestSentinels> {
  const { tls } = options;
  const primary = await startNode(tls);
  const { port } = primary.process;
  const replicas = await Promise.all([startNode(tls), startNode(tls)]);
  for (const { redis } of replicas) await redis.replicaof('127.0.0.1', port);
  await expect.poll(() => linksUp(replicas), WAIT).toBe(true);
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(port, options)));
  const clients = sentinels.map((sentinel) => clientOf(sentinel, tls));
  const known = () =>
    Promise.all(
      clients.map(async (redis) => {
        const fields = (await redis.call('SENTINEL', 'MASTER', SENTINEL_NAME)) as string[];
        const count = (name: string) => Number(fields[fields.indexOf(name) + 1]);
        return [count('num-other-sentinels'), count('num-slaves')];
      }),
    );
  const all = sentinels.map(() => [2, 2]);
  await expect.poll(known, WAIT).toEqual(all);
  return {
    nodes: [primary, ...replicas],
    sentinels,
    env: {
      REDIS_MODE: 'sentinel',
      REDIS_URL: urlsOf(sentinels, tls),
      REDIS_SENTINEL_NAME: SENTINEL_NAME,
    },
  };
}

async function startSentinel(primaryPort: number, options: SetOptions): Promise<TestProcess> {
  const { tls } = options;
  const [port, dir, program] = await Promise.all([freePort(), temporaryFolder(), redisProgram()]);
  const file = path.join(dir, 'sentinel.conf');
  const lines = [
    'bind 127.0.0.1',
    ...Object.entries(tls ? tlsSettings(tls, port) : { port }).map((line) => line.join(' ')),
    `dir ${dir}`,
    `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} ${failureMsOf(options)}`,
    `sentinel failover-timeout ${SENTINEL_NAME} 15000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return manage(port, (output) =>
    startProgram({
      name: 'Sentinel',
      command: program.command,
      args: [file, '--sentinel'],
      env: program.env,
      readyWhen: /Sentinel ID is/,
      output,
    }),
  );
}
