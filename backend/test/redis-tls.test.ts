import { expect, it } from 'vitest';
import { onPath } from '../embedded/debian.mjs';
import { startProcess, startRedis } from './processes.ts';
import { startRedisCluster, startSentinels } from './redis-sets.ts';
import { makeCertificates, tlsSettings } from './redis-tls.ts';
import { longText, startStack } from './stack.ts';

const hasOpenssl = onPath('openssl');

/** A reply in a tab of a product that trusts the authority. */
async function expectReply(env: Record<string, string>) {
  const stack = await startStack(env);
  const text = longText(20);
  stack.provider.onMessage(/.*/, { content: text });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  expect((await ada.send(id, 'Hello')).status).toBe(202);
  await expect.poll(() => tab.reply.status).toBe('complete');
  expect(tab.reply.text).toBe(text);
  return stack;
}

it.skipIf(!hasOpenssl)(
  'a Redis that accepts only TLS serves replies to processes that trust its authority, and no others start',
  async () => {
    const tls = await makeCertificates();
    const { port } = await startRedis((port) => tlsSettings(tls, port));
    const REDIS_URL = `rediss://127.0.0.1:${port}`;
    const stack = await expectReply({ REDIS_URL, NODE_EXTRA_CA_CERTS: tls.authority });
    const env = { ...stack.env, NODE_EXTRA_CA_CERTS: undefined };
    await expect(startProcess('web', { env: { ...env, PORT: undefined } })).rejects.toThrow(
      /Redis/,
    );
  },
);

const sets = { Cluster: startRedisCluster, Sentinels: startSentinels };

it.skipIf(!hasOpenssl).each(['Cluster', 'Sentinels'] as const)(
  'a Redis %s that accepts only TLS serves replies',
  async (kind) => {
    const tls = await makeCertificates();
    const { env } = await sets[kind]({ tls, failover: false });
    const { web } = await expectReply({ ...env, NODE_EXTRA_CA_CERTS: tls.authority });
    expect((await fetch(`${web.url}/api/health/ready`)).status).toBe(200);
  },
);
