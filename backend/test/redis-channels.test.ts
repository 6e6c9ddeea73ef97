import { expect, it } from 'vitest';
import { connectRedis } from '../src/db/redis.ts';
import { createChannels } from '../src/realtime/channels.ts';
import { atEnd } from './at-end.ts';
import { type Node, startRedisCluster, startSentinels, type TestCluster } from './redis-sets.ts';

/** Two processes' channels: one publishes a number to each channel again and again, the other one listens. */
async function startTraffic(env: Record<string, string>) {
  const open = async () => {
    const redis = await connectRedis(env as never, { retry: 'never', onError: () => undefined });
    const channels = createChannels(redis);
    atEnd(() => {
      channels.close();
      redis.disconnect();
    });
    return channels;
  };
  const [publisher, listener] = [await open(), await open()];
  const names = Array.from({ length: 60 }, (_, n) => `user:{${n}}`);
  /** The last number that arrived on each channel, and the channels with a number missing since the last gap. */
  const last = new Map<string, number>();
  const incomplete = new Set<string>();
  const gaps: string[] = [];
  listener.onGap((missed) => {
    for (const name of missed) {
      gaps.push(name);
      incomplete.delete(name);
      last.delete(name);
    }
  });
  for (const name of names)
    await listener.subscribe(name, (text) => {
      const number = Number(text);
      const expected = (last.get(name) ?? number - 1) + 1;
      if (number !== expected) incomplete.add(name);
      last.set(name, number);
    });
  const sent = new Map(names.map((name) => [name, 0]));
  let failed = 0;
  const publishAll = async () => {
    await Promise.all(
      names.map(async (name) => {
        const number = (sent.get(name) ?? 0) + 1;
        sent.set(name, number);
        await publisher.publish(name, String(number)).catch(() => {
          // It may have been published all the same, so its number is not used again, and nobody waits for it.
          failed += 1;
          sent.set(name, number + 1_000);
        });
      }),
    );
  };
  /** The channels of which a text has not arrived although later ones were published: an answer may be read before the text itself. */
  const allArrive = async () => {
    await publishAll();
    const first = new Map(sent);
    await publishAll();
    return names.filter((name) => (last.get(name) ?? -1) < (first.get(name) ?? 0));
  };
  return { names, gaps, incomplete, allArrive, failed: () => failed };
}

/** How often all nodes have run a command. */
async function callsOf(nodes: Node[], command: string): Promise<number> {
  const stats = await Promise.all(nodes.map(({ redis }) => redis.info('commandstats')));
  return stats
    .map((text) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0))
    .reduce((sum, calls) => sum + calls, 0);
}

const ofNode = async (cluster: TestCluster, node: Node, names: string[]) => {
  const primaries = await Promise.all(
    names.map(async (name) => cluster.primaryOf(await cluster.slotOf(name))),
  );
  return names.filter((_, index) => primaries[index] === node).toSorted();
};

it('reports a gap for the channels of a Cluster node that was killed, and for no others; each receives again', async () => {
  const cluster = await startRedisCluster();
  const traffic = await startTraffic(cluster.env);
  await expect.poll(traffic.allArrive).toEqual([]);
  const killed = cluster.nodes[1] as Node;
  const lost = await ofNode(cluster, killed, traffic.names);
  expect(lost.length).toBeGreaterThan(0);
  await killed.process.kill();
  await expect.poll(traffic.allArrive).toEqual([]);
  expect([...new Set(traffic.gaps)].toSorted()).toEqual(lost);
  const others = cluster.nodes.filter((node) => node !== killed);
  expect(await callsOf(others, 'publish')).toBe(0);
  expect(await callsOf(others, 'spublish')).toBeGreaterThan(0);
});

it('follows a channel whose slot is moved, and reports a gap for it alone', async () => {
  const cluster = await startRedisCluster();
  const traffic = await startTraffic(cluster.env);
  await expect.poll(traffic.allArrive).toEqual([]);
  const [moved = ''] = traffic.names;
  await cluster.moveSlot(await cluster.slotOf(moved));
  await expect.poll(() => traffic.gaps).toContain(moved);
  await expect.poll(traffic.allArrive).toEqual([]);
  expect(new Set(traffic.gaps)).toEqual(new Set([moved]));
  expect([...traffic.incomplete]).toEqual([]);
});

it('receives again after Sentinels have chosen another primary, and reports a gap for all channels', async () => {
  const { env, nodes } = await startSentinels();
  const traffic = await startTraffic(env);
  await expect.poll(traffic.allArrive).toEqual([]);
  await nodes[0]?.process.kill();
  await expect.poll(traffic.allArrive).toEqual([]);
  expect(new Set(traffic.gaps)).toEqual(new Set(traffic.names));
});
