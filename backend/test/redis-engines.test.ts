import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import type { FilePage } from '../src/contract/files.ts';
import type { DataExportResult } from '../src/contract/privacy.ts';
import { atEnd } from './at-end.ts';
import { makePdf } from './documents.ts';
import { type Node, startRedisCluster, startSentinels } from './redis-sets.ts';
import { longText, type Stack, startStack } from './stack.ts';
import { PASSWORD, visitor } from './visitor.ts';

const TEXT = longText(60);

const ARGUMENT = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Every command that these servers receive, by its name and arguments. Not by the client's `monitor`, which fails when a command follows in
 * the packet of its answer.
 */
async function watch(nodes: Node[]) {
  const commands: string[][] = [];
  for (const { process } of nodes) {
    const socket = connect(process.port, '127.0.0.1');
    atEnd(() => socket.destroy());
    socket.write('MONITOR\r\n');
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      commands.push([...line.matchAll(ARGUMENT)].map(([, argument = '']) => argument));
    });
    await once(lines, 'line');
  }
  return {
    named: (name: string) => commands.filter(([command]) => command?.toLowerCase() === name),
  };
}

/** The queues that are opened, by the keys in which BullMQ keeps their settings. */
async function queuesOf(nodes: Node[]): Promise<string[]> {
  const keys = await Promise.all(nodes.map(({ redis }) => redis.keys('*:meta')));
  return [...new Set(keys.flat())].map((key) => key.replace(/:meta$/, '')).toSorted();
}

const sets = { Cluster: startRedisCluster, Sentinels: startSentinels };

it.each(['Cluster', 'Sentinels'] as const)(
  'on a Redis %s the main calls work, every queue is served, and only the right PUBLISH is used',
  async (kind) => {
    const { env, nodes } = await sets[kind]({ failover: false });
    const seen = await watch(nodes);
    const stack: Stack = await startStack({ ...env, PLANS: 'off', RATE_LIMITS: 'true' });
    stack.provider
      .onMessage('endless', { content: longText(4_000) }, { streamingProfile: { tps: 40 } })
      .onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 40 } });
    const { api: ada } = await visitor(stack.web.url).member();
    const id = await ada.conversation();
    const tabs = await Promise.all([ada.tab(id), ada.tab(id)]);
    expect((await ada.send(id, 'Hello')).status).toBe(202);
    for (const tab of tabs) await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tabs.map((tab) => tab.reply.text)).toEqual([TEXT, TEXT]);

    const { reply } = (await ada.send(id, 'endless')).body;
    await expect.poll(() => tabs[0]?.reply.text.length).toBeGreaterThan(0);
    expect((await ada.post(`/replies/${reply.id}/stop`)).status).toBe(202);
    await expect.poll(() => tabs[1]?.reply.status).toBe('stopped');

    const file = await ada.upload(
      'handbook.pdf',
      await makePdf({ pages: ['Owls hunt at night.'] }),
    );
    const page = async () => (await ada.get<FilePage>(`/files/${file.id}/pages/1`)).body;
    await expect.poll(page).toMatchObject({ text: expect.stringContaining('Owls hunt') });

    const proof = { currentPassword: PASSWORD };
    expect((await ada.post('/account/export', proof)).status).toBe(202);
    const made = async () => (await ada.get<DataExportResult>('/account/export')).body.export;
    await expect.poll(made).toMatchObject({ state: 'ready' });

    const served = () =>
      [...new Set(seen.named('bzpopmin').map(([, key = '']) => key.replace(/:marker$/, '')))]
        .filter((queue) => queue !== '')
        .toSorted();
    const queues = await queuesOf(nodes);
    expect(queues.length).toBeGreaterThan(5);
    await expect.poll(served).toEqual(queues);
    const isSharded = kind === 'Cluster';
    expect(seen.named('publish').length > 0).toBe(!isSharded);
    expect(seen.named('spublish').length > 0).toBe(isSharded);
  },
);
