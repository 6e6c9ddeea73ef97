import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Core } from '../src/features/define-feature.ts';
import type { JobDefinition } from '../src/jobs/define-job.ts';
import { createOpenAiEmbedder } from '../src/llm/index.ts';
import { testCore } from './core.ts';

/** Payloads of every shape that a release has enqueued. Add to it; remove nothing while a process of that release may run. */
const PAYLOADS = path.join(import.meta.dirname, 'fixtures/job-payloads.json');

/** The jobs that the features define. */
async function definedJobs(): Promise<JobDefinition<unknown>[]> {
  const definitions: JobDefinition<unknown>[] = [];
  const produce = ((definition: JobDefinition<unknown>) => {
    definitions.push(definition);
    return {};
  }) as unknown as Core['produce'];
  const embedder = createOpenAiEmbedder({ model: 'a', baseUrl: 'http://127.0.0.1:9', apiKey: 'b' });
  await testCore({ overrides: { produce, embedder } });
  return definitions;
}

it('names every queue in .env.example, for WORKER_JOBS', async () => {
  const example = await readFile(path.resolve(import.meta.dirname, '../../.env.example'), 'utf8');
  const [, list = ''] = /names of queues \(([^)]*)\)/.exec(example) ?? [];
  const named = list.match(/[a-z-]{2,}/g) ?? [];
  expect(named.toSorted()).toEqual((await definedJobs()).map(({ name }) => name).toSorted());
});

it('workers read the payloads of every earlier release', async () => {
  const stored = JSON.parse(await readFile(PAYLOADS, 'utf8')) as Record<string, unknown[]>;
  const definitions = await definedJobs();
  expect(definitions.map(({ name }) => name).toSorted()).toEqual(Object.keys(stored).toSorted());
  for (const { name, schema } of definitions)
    for (const payload of stored[name] ?? [])
      expect([name, schema.safeParse(payload).error]).toEqual([name, undefined]);
});
