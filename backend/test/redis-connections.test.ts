import { once } from 'node:events';
import type { Cluster } from 'ioredis';
import { expect, it } from 'vitest';
import { connectRedis, type Redis } from '../src/db/redis.ts';
import { atEnd } from './at-end.ts';
import { startRedis } from './processes.ts';
import { startRedisCluster, startSentinels } from './redis-sets.ts';

const onError = () => undefined;

function keep(redis: Redis): Redis {
  atEnd(() => redis.disconnect());
  return redis;
}

it('refuses a server of another kind than REDIS_MODE says, and names the right one', async () => {
  const [cluster, set, single] = await Promise.all([
    startRedisCluster(),
    startSentinels(),
    startRedis(),
  ]);
  const connect = (REDIS_URL: string, REDIS_MODE?: 'single' | 'cluster') =>
    connectRedis({ REDIS_URL, ...(REDIS_MODE && { REDIS_MODE }) }, { retry: 'never', onError });
  await expect(connect(cluster.env.REDIS_URL.split(',')[0] ?? '')).rejects.toThrow(
    'REDIS_MODE must be cluster',
  );
  await expect(connect(set.env.REDIS_URL.split(',')[0] ?? '')).rejects.toThrow(
    'REDIS_MODE must be sentinel',
  );
  await expect(connect(single.url, 'cluster')).rejects.toThrow(/cluster support disabled/);
});

it.each(['never', 'always'] as const)(
  'reaches every key of a Cluster and the primary of Sentinels, also after their end, with retry %s',
  async (retry) => {
    const [cluster, set] = await Promise.all([startRedisCluster(), startSentinels()]);
    for (const { env, nodes } of [cluster, set]) {
      const redis = keep(await connectRedis(env as never, { retry, onError }));
      const keys = Array.from({ length: 30 }, (_, n) => `key-${n}`);
      await Promise.all(keys.map((key) => redis.set(key, key)));
      await nodes[0]?.process.kill();
      const write = (key: string) => redis.set(key, `${key}!`).catch(String);
      const written = async () => new Set(await Promise.all(keys.map(write)));
      await expect.poll(written).toEqual(new Set(['OK']));
      expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(
        keys.map((key) => `${key}!`),
      );
    }
  },
);

it('ends a connection to a Cluster, and one made from it, when an answer meanwhile names another node', async () => {
  const { env, nodes } = await startRedisCluster({ failover: false });
  const first = keep(await connectRedis(env as never, { retry: 'always', onError }));
  const copy = keep((first as Cluster).duplicate());
  await copy.connect();
  for (const redis of [copy, first]) {
    const ended = once(redis, 'end');
    redis.disconnect();
    // As ioredis does for MOVED and ASK.
    const pool = Reflect.get(redis, 'connectionPool') as { findOrCreate: (node: object) => void };
    pool.findOrCreate({ host: '127.0.0.1', port: nodes[0]?.process.port });
    await ended;
    expect(redis.status).toBe('end');
  }
});
