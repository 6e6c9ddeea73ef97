import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../../llm/index.ts';
import type { ReadPage } from '../../../reading/index.ts';
import { type FileRecord, filePrefix, vectorsKey } from '../library/file-record.ts';
import { memoryObjects } from '../reading/objects.fixture.ts';
import { indexFile } from '../retrieval/file-index.ts';
import {
  ask,
  askFiles,
  featureOf,
  fileOf,
  filler,
  pagesOf,
  sixtyPages,
  textsOf,
} from '../retrieval/retrieval.fixture.ts';
import { runVectorsJob } from './compute.ts';
import { cosinesOf, decodeVectors, encodeVectors, fingerprintOf } from './file-vectors.ts';
import type { Vectors } from './job.ts';
import { enqueueVectors } from './queue.ts';
import { similaritiesOf } from './similarity.ts';
import { findVectors } from './stored.ts';

/** Maps words to a meaning: pets, money, or other. */
const meaningOf = (text: string) =>
  Float32Array.of(
    Number(/pet|dog|hamster/i.test(text)),
    Number(/rent|deposit|money/i.test(text)),
    0.1,
  );

interface RigOptions {
  pages: ReadPage[];
  file?: FileRecord;
  embed?: Embedder['embed'];
}

function openRig({ pages, file = fileOf(), embed }: RigOptions) {
  const objects = memoryObjects();
  const files = new Map([[file, pages]]);
  const texts = textsOf(files);
  const asked: string[][] = [];
  const embedder: Embedder = {
    model: 'small',
    embed: async (given, signal) => {
      asked.push([...given]);
      return embed ? embed(given, signal) : given.map(meaningOf);
    },
  };
  const enqueued: string[] = [];
  const warnings: unknown[] = [];
  const clock = { now: new Date() };
  const producer: Vectors['producer'] = {
    add: async (_, { fileId }) => void enqueued.push(fileId),
    canRun: async () => false,
    remove: async () => undefined,
  };
  const feature = {
    ...featureOf({
      texts,
      objects: objects as never,
      records: { find: async () => [...files.keys()][0] ?? null } as never,
      now: () => clock.now,
      log: { warn: (...warning: unknown[]) => void warnings.push(warning) } as never,
    }),
    vectors: { embedder, producer, pausedUntil: 0 },
  };
  const compare = (question: string, { signal } = new AbortController()) =>
    similaritiesOf(feature, { question, files: [file], signal });
  return {
    file,
    files,
    objects,
    asked,
    enqueued,
    warnings,
    clock,
    find: () => findVectors(feature, file),
    run: (model = 'small') =>
      runVectorsJob(
        feature,
        { fileId: file.id, ownerId: file.ownerId, model },
        new AbortController().signal,
      ),
    keys: () => [...objects.stored.keys()],
    compare,
    ask: (...said: string[]) => askFiles({ said, texts: files, files: feature }),
  };
}

const LEASE = sixtyPages('Dogs are allowed.');

describe('the vectors of a file', () => {
  it('are computed in batches, and stored beside its text under the name of the model', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    expect(rig.keys()).toEqual([vectorsKey(rig.file, 'small')]);
    expect(rig.asked.length).toBeGreaterThan(1);
    expect(Math.max(...rig.asked.map(({ length }) => length))).toBe(32);
    const index = await indexFile(LEASE);
    expect(rig.asked.flat()).toEqual(
      index.passages.map(({ page, start, end }) => LEASE[page - 1]?.text.slice(start, end)),
    );
  });

  it('are computed once', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    const { length } = rig.asked;
    await rig.run();
    expect(rig.asked).toHaveLength(length);
  });

  it('are separate for each model, whose job does nothing here', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run('former');
    expect([rig.keys(), rig.asked]).toEqual([[], []]);
  });

  it('are never used for another text: they are computed again', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    const changed = sixtyPages('Hamsters are allowed.');
    rig.files.set(rig.file, changed);
    expect(await rig.find()).toBeNull();
    await rig.run();
    expect(await rig.find()).not.toBeNull();
  });

  it('leave nothing of a file that is deleted meanwhile', async () => {
    const rig = openRig({
      pages: LEASE,
      embed: async (given) => {
        rig.files.clear();
        return given.map(meaningOf);
      },
    });
    rig.objects.stored.set(`${filePrefix(rig.file)}content`, Buffer.from('x'));
    await rig.run();
    expect(rig.keys()).toEqual([]);
  });

  it('of a file that was not read are not computed', async () => {
    const rig = openRig({ pages: LEASE, file: fileOf({ state: 'failed' }) });
    await rig.run();
    expect(rig.asked).toEqual([]);
  });

  it('are retried later when the provider fails', async () => {
    const rig = openRig({ pages: LEASE, embed: () => Promise.reject(new Error('down')) });
    await expect(rig.run()).rejects.toThrow('down');
    expect(rig.keys()).toEqual([]);
  });

  it('keep the order of similarity in a quarter of the size', () => {
    const stored = [Float32Array.of(0.5, -0.25, 0), Float32Array.of(0.001, 0.002, 0.003)];
    const index = { passages: [] };
    const bytes = encodeVectors(stored, fingerprintOf(index));
    const vectors = decodeVectors(bytes, fingerprintOf(index));
    if (!vectors) throw new Error('They were not recognised.');
    for (const [at, vector] of stored.entries())
      expect(cosinesOf(vectors, vector)?.[at]).toBeCloseTo(1, 3);
    expect(cosinesOf(vectors, Float32Array.of(0.5, -0.25, 0))?.[1]).toBeCloseTo(0, 2);
    expect(cosinesOf(vectors, Float32Array.of(1, 2))).toBeNull();
    expect(decodeVectors(bytes, 'other')).toBeNull();
  });
});

describe('a question', () => {
  it('finds a passage that has none of its words', async () => {
    const rig = openRig({ pages: LEASE });
    const without = await ask('May I keep a hamster?', [rig.file, LEASE]);
    expect(without.text).toContain('has the words of the question');
    await rig.run();
    const { passages, receipt, text } = await rig.ask('May I keep a hamster?');
    expect(passages.some(({ page }) => page === 37)).toBe(true);
    expect(receipt).toMatchObject([{ given: 'passages' }]);
    expect(text).toContain('the passages that come closest');
  });

  it('still finds what has its words, first by both', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    const { passages, text } = await rig.ask('Are dogs allowed?');
    expect(passages.some(({ page }) => page === 37)).toBe(true);
    expect(text).toContain('fit the words of the question best');
  });

  it('that is short is combined with the previous one', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    await rig.ask('Which animals does the lease treat?', 'And dogs?');
    expect(rig.asked.at(-1)).toEqual(['Which animals does the lease treat?\nAnd dogs?']);
  });

  it('with a long pasted text has the vector of its beginning and end, which every provider takes', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    await rig.ask(`Are dogs allowed? ${'pasted 🦉🦉 '.repeat(2_000)}And hamsters?`);
    const [question = ''] = rig.asked.at(-1) ?? [];
    expect(question.length).toBeLessThanOrEqual(1_601);
    expect(question).toMatch(/^Are dogs allowed\? [^]*And hamsters\?$/);
  });

  it('about a text that is given whole requests no vector', async () => {
    const rig = openRig({ pages: pagesOf(filler(1)) });
    await rig.ask('May I keep a hamster?');
    expect(rig.asked).toEqual([]);
  });

  it('without words to search for is given nothing', async () => {
    const rig = openRig({ pages: LEASE });
    await rig.run();
    const { receipt } = await rig.ask('Hello', '…');
    expect(receipt).toMatchObject([{ given: 'none' }]);
  });

  it('lets missing vectors be computed, and is answered by words meanwhile', async () => {
    const rig = openRig({ pages: LEASE });
    const { passages, text } = await rig.ask('Are dogs allowed?');
    await expect.poll(() => rig.enqueued).toEqual([rig.file.id]);
    expect(passages.some(({ page }) => page === 37)).toBe(true);
    expect(text).toContain('fit the words of the question best');
  });

  it('is answered by words when the provider fails, which is logged, and not repeated for 30 s', async () => {
    const rig = openRig({ pages: LEASE, embed: () => Promise.reject(new Error('down')) });
    expect((await rig.ask('Are dogs allowed?')).passages.length).toBeGreaterThan(0);
    expect(await rig.compare('Are cats allowed?')).toBeNull();
    expect([rig.asked.length, rig.warnings.length]).toEqual([1, 1]);
    rig.clock.now = new Date(rig.clock.now.getTime() + 30_000);
    expect(await rig.compare('Are cats allowed?')).toBeNull();
    expect(rig.asked).toHaveLength(2);
  });

  it('is answered by words when the store does not return the vectors', async () => {
    const rig = openRig({ pages: LEASE });
    rig.objects.switches.failure = new Error('The store is down.');
    expect(await rig.compare('Are dogs allowed?')).toEqual([null]);
    expect([rig.enqueued, rig.warnings.length]).toEqual([[], 1]);
  });

  it('of a reply that is stopped ends with it', async () => {
    const rig = openRig({
      pages: LEASE,
      embed: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const stop = new AbortController();
    const comparing = rig.compare('Are dogs allowed?', stop);
    await expect.poll(() => rig.asked).toHaveLength(1);
    stop.abort(new Error('stopped'));
    await expect(comparing).rejects.toThrow('stopped');
    expect(rig.warnings).toEqual([]);
  });
});

it('vectors whose job has lost its place in the queue are enqueued again', async () => {
  const added: string[] = [];
  const removed = new Set<string>();
  // An existing job without a queue entry keeps its id from being added until it is removed.
  const producer: Vectors['producer'] = {
    add: async (id) => void (removed.has(id) && added.push(id)),
    canRun: async () => false,
    remove: async (id) => void removed.add(id),
  };
  const vectors = { embedder: { model: 'small' } as Embedder, producer, pausedUntil: 0 };
  await enqueueVectors(featureOf({ vectors }), { id: 'file', ownerId: 'owner' });
  expect(added).toHaveLength(1);
});
