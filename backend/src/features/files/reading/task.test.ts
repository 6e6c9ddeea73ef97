import { beforeAll, describe, expect, it } from 'vitest';
import { RunLaterError } from '../../../jobs/define-job.ts';
import { type ReadFile, type ReadOptions, UnreadableFileError } from '../../../reading/index.ts';
import { thumbnailKey } from '../library/file-record.ts';
import { fakeReader, READ, startReading } from './reading.fixture.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
const SCAN: ReadFile = {
  ...READ,
  pages: READ.pages.map(({ n }) => ({ n, text: '' })),
  thumbnail: Buffer.from('small'),
};
const PAST = new Date(Date.now() - 60_000);
const LOST = {
  state: 'reading',
  reading: { tries: 1, lost: 0, faults: 0, heartbeatAt: PAST, dueAt: PAST },
};

beforeAll(async () => {
  rig = await startReading();
});

const jobOf = ({ id, ownerId }: { id: string; ownerId: string }) => ({ fileId: id, ownerId });
const later = (run: Promise<void>) =>
  run.then(
    () => expect.unreachable('the job ended'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RunLaterError);
      return (error as RunLaterError).delayMs;
    },
  );

/** A reader that reads until the test ends it, or it is aborted. */
function slowReader() {
  let end = () => {};
  let begin: (options: ReadOptions) => void = () => {};
  const started = new Promise<ReadOptions>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const read = async (options: ReadOptions) => {
    begin(options);
    const aborted = new Promise<never>((_, reject) => {
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
    });
    await Promise.race([ended, aborted]);
    return READ;
  };
  return { reader: fakeReader({ read }), started, end: () => end() };
}

describe('a file that waits', () => {
  it('is read: its text and thumbnail are stored, and each state is published', async () => {
    const file = await rig.insert();
    await rig.task().run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({
      state: 'ready',
      type: 'application/pdf',
      kind: 'pdf',
      truncated: false,
      pages: 2,
      textBytes: 9,
      hasThumbnail: true,
    });
    expect(await rig.texts.pagesOf(file)).toEqual(READ.pages);
    expect(rig.objects.stored.get(thumbnailKey(file))?.toString()).toBe('page 1, 400 pixels');
    expect(rig.statesOf(file.id)).toEqual(['reading', 'ready']);
  });

  it('is read from a copy of its bytes, under its own name', async () => {
    const file = await rig.insert({ name: 'Eulen.pdf' });
    const seen: ReadOptions[] = [];
    const read = async (options: ReadOptions) => {
      seen.push(options);
      return READ;
    };
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(seen).toMatchObject([{ name: 'Eulen.pdf', path: expect.stringContaining(file.id) }]);
  });

  it('is read once, however often its job is delivered', async () => {
    const file = await rig.insert();
    let reads = 0;
    const read = async () => {
      reads += 1;
      return READ;
    };
    const { run } = rig.task({ reader: fakeReader({ read }) });
    await run(jobOf(file));
    await run(jobOf(file));
    expect(reads).toBe(1);
  });

  it('is ready without a thumbnail when its picture cannot be rendered', async () => {
    const file = await rig.insert();
    const read = async () => READ;
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready', hasThumbnail: false });
  });

  it('has no thumbnail when its pages are not pictures', async () => {
    const file = await rig.insert();
    const read = async () => ({ ...READ, kind: 'text' as const, type: 'text/plain' });
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ kind: 'text', hasThumbnail: false });
    expect(rig.objects.stored.has(thumbnailKey(file))).toBe(false);
  });

  it('is ready without text when it is an image', async () => {
    const file = await rig.insert();
    const read = async () => ({ ...SCAN, kind: 'image' as const, type: 'image/png' });
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready', kind: 'image' });
  });

  it('has its progress stored and published while it is read', async () => {
    const file = await rig.insert();
    const { reader, started, end } = slowReader();
    const running = rig.task({ reader, heartbeatMs: 5 }).run(jobOf(file));
    (await started).onProgress?.({ done: 1, total: 2 });
    const progress = { done: 1, total: 2 };
    await expect
      .poll(() => rig.events.map(({ payload }) => payload))
      .toContainEqual(expect.objectContaining({ id: file.id, progress }));
    expect(await rig.readings.find(file)).toMatchObject({ progress });
    end();
    await running;
    expect(rig.statesOf(file.id)).toEqual(['reading', 'reading', 'ready']);
  });
});

it('progress whose heartbeat failed is stored with the next one', async () => {
  const file = await rig.insert();
  const { reader, started, end } = slowReader();
  const progress = { done: 1, total: 2 };
  let failures = 0;
  const { tasks } = rig.readings;
  const heartbeat: typeof tasks.heartbeat = async (run, at, change) => {
    if (change && failures++ === 0) throw new Error('Unreachable');
    return tasks.heartbeat(run, at, change);
  };
  const readings = { ...rig.readings, tasks: { ...tasks, heartbeat } };
  const running = rig.task({ reader, readings, heartbeatMs: 5 }).run(jobOf(file));
  (await started).onProgress?.(progress);
  await expect.poll(async () => await rig.readings.find(file)).toMatchObject({ progress });
  expect(failures).toBe(2);
  end();
  await running;
});

describe('a file that cannot be read', () => {
  it.each(['encrypted', 'damaged', 'too_complex'] as const)('fails as %s', async (code) => {
    const file = await rig.insert();
    const read = () => Promise.reject(new UnreadableFileError(code));
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    const stored = await rig.readings.find(file);
    expect(stored).toMatchObject({ state: 'failed', problem: { code }, hasThumbnail: false });
    expect(stored?.problem?.message).not.toBe('');
    expect(rig.statesOf(file.id)).toEqual(['reading', 'failed']);
  });

  it('has pages and a thumbnail when it only lacks text', async () => {
    const file = await rig.insert();
    await rig.task({ reader: fakeReader({ read: async () => SCAN }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({
      state: 'failed',
      problem: { code: 'no_text' },
      pages: 2,
      hasThumbnail: true,
    });
    expect(await rig.texts.pagesOf(file)).toEqual(SCAN.pages);
    expect(rig.objects.stored.has(thumbnailKey(file))).toBe(true);
  });

  it('is ready when only some of its pages lack text', async () => {
    const file = await rig.insert();
    const pages = [{ n: 1, text: ' ' }, ...READ.pages.slice(1)];
    const read = async () => ({ ...READ, pages });
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready', pages: 2 });
  });
});

describe('a file whose worker was lost', () => {
  it('is read by another one', async () => {
    const file = await rig.insert(LOST);
    await rig.task().run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready' });
  });

  it('is too complex when it has lost its worker twice', async () => {
    const file = await rig.insert({ ...LOST, reading: { ...LOST.reading, lost: 1 } });
    const read = () => expect.unreachable('the file was read');
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({
      state: 'failed',
      problem: { code: 'too_complex' },
    });
  });

  it('is left to a running worker, until it counts as lost', async () => {
    const heartbeatAt = new Date(Date.now() + 60_000);
    const file = await rig.insert({ ...LOST, reading: { ...LOST.reading, heartbeatAt } });
    const delayMs = await later(rig.task().run(jobOf(file)));
    expect(delayMs).toBeGreaterThan(50_000);
    expect(await rig.readings.find(file)).toMatchObject({ state: 'reading' });
  });

  it('is not changed by that worker when it continues', async () => {
    const file = await rig.insert();
    const { reader, started, end } = slowReader();
    const first = rig.task({ reader, heartbeatMs: 60_000 }).run(jobOf(file));
    await started;
    await rig.model.updateOne({ _id: file.id }, { 'reading.heartbeatAt': PAST });
    const read = () => Promise.reject(new UnreadableFileError('damaged'));
    await rig.task({ reader: fakeReader({ read }) }).run(jobOf(file));
    end();
    await first;
    expect(await rig.readings.find(file)).toMatchObject({ state: 'failed' });
  });

  it('stops that worker at its next heartbeat', async () => {
    const file = await rig.insert();
    const { reader, started } = slowReader();
    const first = rig.task({ reader, heartbeatMs: 5 }).run(jobOf(file));
    const { signal } = await started;
    await rig.model.updateOne({ _id: file.id }, { 'reading.tries': 2 });
    await first;
    expect(signal?.aborted).toBe(true);
    expect(await rig.readings.find(file)).toMatchObject({ state: 'reading' });
  });
});

describe('a file that is deleted', () => {
  it('before it is read has no objects, whatever a lost worker has stored', async () => {
    const file = await rig.insert();
    await rig.model.deleteOne({ _id: file.id });
    await rig.texts.save(file, READ.pages);
    await rig.task().run(jobOf(file));
    expect(rig.keysOf(file)).toEqual([]);
  });

  it.each([
    ['text', async () => READ],
    ['thumbnail', async () => SCAN],
  ])('while it is read gets no %s back', async (_, outcome) => {
    const file = await rig.insert();
    const read = async () => {
      await rig.remove(file);
      return outcome();
    };
    const reader = fakeReader({ read });
    await rig.task({ reader, heartbeatMs: 60_000 }).run(jobOf(file));
    expect(rig.keysOf(file)).toEqual([]);
    expect(rig.statesOf(file.id)).toEqual(['reading']);
  });

  it('stops its reading at the next heartbeat', async () => {
    const file = await rig.insert();
    const { reader, started } = slowReader();
    const running = rig.task({ reader, heartbeatMs: 5 }).run(jobOf(file));
    const { signal } = await started;
    await rig.remove(file);
    await running;
    expect(signal?.aborted).toBe(true);
    expect(rig.keysOf(file)).toEqual([]);
  });
});

describe('a fault of the server', () => {
  it('of the reader is retried up to three attempts in all, then the file fails as internal', async () => {
    const file = await rig.insert();
    const read = () => Promise.reject(new Error('No memory'));
    const { run } = rig.task({ reader: fakeReader({ read }) });
    expect(await later(run(jobOf(file)))).toBe(1_000);
    expect(await rig.readings.find(file)).toMatchObject({ state: 'waiting' });
    expect(await later(run(jobOf(file)))).toBe(2_000);
    await run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({
      state: 'failed',
      problem: { code: 'internal' },
    });
  });

  it('of the store is retried with growing delays and never fails the file', async () => {
    const file = await rig.insert();
    const delays: number[] = [];
    rig.objects.switches.failure = new Error('Unreachable');
    for (let n = 0; n < 9; n += 1) delays.push(await later(rig.task().run(jobOf(file))));
    rig.objects.switches.failure = undefined;
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
    await rig.task().run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready' });
  });

  it('of the store does not fail a file that the reader has failed on before', async () => {
    const file = await rig.insert({ reading: { tries: 2, faults: 2 } });
    const save = () => Promise.reject(new Error('Unreachable'));
    await later(rig.task({ texts: { ...rig.texts, save } }).run(jobOf(file)));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'waiting' });
  });

  it('of the store while the text is stored is retried', async () => {
    const file = await rig.insert();
    const save = () => Promise.reject(new Error('Unreachable'));
    await later(rig.task({ texts: { ...rig.texts, save } }).run(jobOf(file)));
    expect((await rig.stored(file.id)).reading?.faults ?? 0).toBe(0);
  });

  it('that lost the bytes of a file counts', async () => {
    const file = await rig.insert();
    await rig.objects.removeAll(`users/${file.ownerId}/`);
    await later(rig.task().run(jobOf(file)));
    expect((await rig.stored(file.id)).reading).toMatchObject({ faults: 1 });
  });

  it('of the database at the end is waited out', async () => {
    const file = await rig.insert();
    const { tasks } = rig.readings;
    let failures = 0;
    const end: typeof tasks.end = async (...change) => {
      failures += 1;
      if (failures < 5) throw new Error('Unreachable');
      return tasks.end(...change);
    };
    await rig.task({ readings: { ...rig.readings, tasks: { ...tasks, end } } }).run(jobOf(file));
    expect(rig.statesOf(file.id)).toEqual(['reading', 'ready']);
  });

  it('that loses the answer of the last update does not lose its event', async () => {
    const file = await rig.insert();
    const { tasks } = rig.readings;
    let calls = 0;
    const end: typeof tasks.end = async (...change) => {
      const stored = await tasks.end(...change);
      calls += 1;
      if (calls === 1) throw new Error('Connection lost');
      return stored;
    };
    await rig.task({ readings: { ...rig.readings, tasks: { ...tasks, end } } }).run(jobOf(file));
    expect(rig.statesOf(file.id)).toEqual(['reading', 'ready']);
  });
});

describe('a worker that stops', () => {
  it('releases its files to others at once, and counts nothing', async () => {
    const file = await rig.insert();
    const { reader, started } = slowReader();
    const task = rig.task({ reader });
    const running = task.run(jobOf(file));
    await started;
    task.releaseAll();
    expect(await later(running)).toBe(0);
    const { reading, state } = await rig.stored(file.id);
    expect([state, reading?.faults ?? 0, reading?.lost ?? 0]).toEqual(['waiting', 0, 0]);
    await rig.task().run(jobOf(file));
    expect(await rig.readings.find(file)).toMatchObject({ state: 'ready' });
  });
});
