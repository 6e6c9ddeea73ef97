import { beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../../../db/redis.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import { createProducer } from '../../../jobs/producer.ts';
import { type FileReader, type ReadFile, UnreadableFileError } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { laneOf, lanesOf } from '../files.fixture.ts';
import { textKey } from '../library/file-record.ts';
import { isReadingWaiting, recognitionJob } from './lanes.ts';
import { fakeReader, READ, startReading } from './reading.fixture.ts';
import { recognitionJobs, recognitionSweep, recognitionTask } from './recognition.ts';

let rig: Awaited<ReturnType<typeof startReading>>;

beforeAll(async () => {
  rig = await startReading();
});

/** Text, a picture with a stamp, a picture, and noise of a font. */
const MIXED: ReadFile = {
  ...READ,
  pages: [
    { n: 1, text: 'Owls' },
    { n: 2, text: 'Received', unread: 'picture' },
    { n: 3, text: '', unread: 'picture' },
    { n: 4, text: '', unread: 'font' },
  ],
  unread: [
    { kind: 'picture', count: 2, pages: [2, 3] },
    { kind: 'font', count: 1, pages: [4] },
  ],
};
const SCAN: ReadFile = {
  ...READ,
  pages: [1, 2, 3].map((n) => ({ n, text: '', unread: 'picture' })),
  unread: [{ kind: 'picture', count: 3, pages: [1, 2, 3] }],
};
const AFTER_A_TURN_MS = 21_000;

const jobOf = ({ id, ownerId }: { id: string; ownerId: string }) => ({ fileId: id, ownerId });
const later = (run: Promise<void>) =>
  run.then(
    () => expect.unreachable('the job ended'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RunLaterError);
      return (error as RunLaterError).delayMs;
    },
  );

/** A file that was read with `result`. */
async function readFile(result: ReadFile, changes: Partial<FilesFeature> = {}) {
  const file = await rig.insert();
  const enqueued: string[] = [];
  const recognitionLane = laneOf({ add: async (id) => void enqueued.push(id) });
  const reader = fakeReader({ read: async () => result });
  await rig.task({ reader, recognitionLane, ...changes }).run(jobOf(file));
  return { ...file, enqueued };
}

type Changes = Partial<FilesFeature> & { recognisePage?: FileReader['recognisePage'] };

/** The task that recognises; by default the text of page n is 'Recognised n'. */
const recognition = ({ recognisePage, ...changes }: Changes = {}) =>
  recognitionTask(
    {
      ...rig.files,
      recognitionLane: laneOf(),
      reader: fakeReader(recognisePage && { recognisePage }),
      ...changes,
    },
    { heartbeatMs: 5, sleep: async () => undefined },
  );

/** Time that passes with each recognised page, so that every page is a turn of its own. */
function slowPages() {
  let ms = Date.now();
  const recognisePage: FileReader['recognisePage'] = async ({ n }) => {
    ms += AFTER_A_TURN_MS;
    return `Recognised ${n}`;
  };
  return { now: () => new Date(ms), recognisePage };
}

const found = async ({ id, ownerId }: { id: string; ownerId: string }) =>
  (await rig.readings.find({ id, ownerId })) ?? expect.unreachable('the file is gone');
const textsOf = async (file: { id: string; ownerId: string }) =>
  (await rig.texts.pagesOf(await found(file))).map(({ text }) => text);
const published = (id: string) =>
  rig.events.map(({ payload }) => payload).filter((file) => (file as { id: string }).id === id);

describe('a file with pictures of text', () => {
  it('is ready with the text that it has, and names what was not read', async () => {
    const file = await readFile(MIXED);
    expect(await found(file)).toMatchObject({
      state: 'ready',
      textBytes: 12,
      unread: MIXED.unread,
      recognition: { done: 0, total: 3 },
    });
    expect(file.enqueued).toEqual([file.id]);
    expect(published(file.id).at(-1)).toMatchObject({
      state: 'ready',
      unread: MIXED.unread,
      recognition: { done: 0, total: 3 },
    });
  });

  it('gets the recognised text behind its own, so that citations of its text stay valid', async () => {
    const file = await readFile(MIXED);
    await recognition().run(jobOf(file));
    expect(await textsOf(file)).toEqual([
      'Owls',
      'Received\nRecognised 2',
      'Recognised 3',
      'Recognised 4',
    ]);
    const after = await found(file);
    expect(after).toMatchObject({ state: 'ready', textBytes: 4 + 21 + 12 + 12, recognised: 3 });
    expect(after).not.toHaveProperty('unread');
    expect(after).not.toHaveProperty('recognition');
    const last = published(file.id).at(-1);
    expect(last).toMatchObject({ state: 'ready' });
    expect(last).not.toHaveProperty('recognition');
  });

  it('has its text hidden in the picture when it is known, and shown when it is noise', async () => {
    const file = await readFile(MIXED);
    const asked: [number, boolean][] = [];
    const recognisePage: FileReader['recognisePage'] = async ({ n, withText }) => {
      asked.push([n, withText]);
      return '';
    };
    await recognition({ recognisePage }).run(jobOf(file));
    expect(asked).toEqual([
      [2, false],
      [3, true],
      [4, true],
    ]);
  });

  it('names pages on which no text is recognised, or whose recognition takes too long', async () => {
    const file = await readFile(MIXED);
    const recognisePage: FileReader['recognisePage'] = async ({ n }) => {
      if (n === 3) throw new UnreadableFileError('timed_out');
      return n === 4 ? 'Text' : '';
    };
    await recognition({ recognisePage }).run(jobOf(file));
    expect(await textsOf(file)).toEqual(['Owls', 'Received', '', 'Text']);
    expect(await found(file)).toMatchObject({
      state: 'ready',
      unread: [{ kind: 'no_text', count: 2, pages: [2, 3] }],
    });
  });

  it('publishes the page that is being recognised', async () => {
    const file = await readFile(SCAN);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const recognisePage: FileReader['recognisePage'] = async ({ n }) => {
      if (n === 3) await ended;
      return 'Text';
    };
    const running = recognition({ recognisePage }).run(jobOf(file));
    await expect
      .poll(() => published(file.id))
      .toContainEqual(expect.objectContaining({ recognition: { done: 2, total: 3 } }));
    end();
    await running;
  });

  it('is not recognised when the operator has switched recognition off', async () => {
    const config = { ...rig.files.config, OCR: false };
    const mixed = await readFile(MIXED, { config });
    expect(await found(mixed)).toMatchObject({ state: 'ready', unread: MIXED.unread });
    expect(await found(mixed)).not.toHaveProperty('recognition');
    const scan = await readFile(SCAN, { config });
    expect(await found(scan)).toMatchObject({ state: 'failed', problem: { code: 'no_text' } });
    expect([mixed.enqueued, scan.enqueued]).toEqual([[], []]);
  });

  it('has at most 500 pages recognised, and the others named', async () => {
    const pages = Array.from({ length: 600 }, (_, at) => ({
      n: at + 1,
      text: '',
      unread: 'picture' as const,
    }));
    const file = await readFile({ ...SCAN, pages });
    expect(await found(file)).toMatchObject({ recognition: { done: 0, total: 500 } });
    await recognition().run(jobOf(file));
    const { unread = [] } = await found(file);
    expect(unread).toMatchObject([{ kind: 'picture', count: 100 }]);
    expect(unread[0]?.pages[0]).toBe(501);
  });
});

describe('a scan', () => {
  it('is ready before it has text, and then has its recognised text', async () => {
    const file = await readFile(SCAN);
    expect(await found(file)).toMatchObject({ state: 'ready', textBytes: 0 });
    await recognition().run(jobOf(file));
    expect(await textsOf(file)).toEqual(['Recognised 1', 'Recognised 2', 'Recognised 3']);
  });

  it('fails as a file without text when none is recognised, and can be viewed', async () => {
    const file = await readFile(SCAN);
    await recognition({ recognisePage: async () => '' }).run(jobOf(file));
    expect(await found(file)).toMatchObject({
      state: 'failed',
      problem: { code: 'no_text' },
      pages: 3,
    });
    expect(await textsOf(file)).toEqual(['', '', '']);
  });

  it('can be read again after that', async () => {
    const file = await readFile(SCAN);
    await recognition({ recognisePage: async () => '' }).run(jobOf(file));
    await rig.readings.retryFailed(file, { dueAt: new Date() });
    const reader = fakeReader({ read: async () => SCAN });
    await rig.task({ reader, recognitionLane: laneOf() }).run(jobOf(file));
    await recognition().run(jobOf(file));
    expect(await found(file)).toMatchObject({ state: 'ready' });
    expect(await textsOf(file)).toEqual(['Recognised 1', 'Recognised 2', 'Recognised 3']);
  });

  it('fails as internal when the reader fails three times', async () => {
    const file = await readFile(SCAN);
    const task = recognition({ recognisePage: () => Promise.reject(new Error('No memory')) });
    expect(await later(task.run(jobOf(file)))).toBe(1_000);
    expect(await later(task.run(jobOf(file)))).toBe(2_000);
    await task.run(jobOf(file));
    expect(await found(file)).toMatchObject({ state: 'failed', problem: { code: 'internal' } });
  });

  it('is recognised later when the store is unreachable', async () => {
    const file = await readFile(SCAN);
    rig.objects.switches.failure = new Error('Unreachable');
    expect(await later(recognition().run(jobOf(file)))).toBe(1_000);
    rig.objects.switches.failure = undefined;
    await recognition().run(jobOf(file));
    expect(await textsOf(file)).toEqual(['Recognised 1', 'Recognised 2', 'Recognised 3']);
  });
});

describe('a turn', () => {
  it('ends after a time, stores its pages, and the next one continues', async () => {
    const file = await readFile(SCAN);
    const task = recognition(slowPages());
    expect(await later(task.run(jobOf(file)))).toBe(0);
    expect(await textsOf(file)).toEqual(['Recognised 1', '', '']);
    expect(await found(file)).toMatchObject({
      textBytes: 12,
      unread: [{ kind: 'picture', count: 2, pages: [2, 3] }],
      recognition: { done: 1, total: 3 },
    });
    await later(task.run(jobOf(file)));
    await task.run(jobOf(file));
    expect(await textsOf(file)).toEqual(['Recognised 1', 'Recognised 2', 'Recognised 3']);
  });

  it('leaves one text of the file in the store', async () => {
    const file = await readFile(SCAN);
    const task = recognition(slowPages());
    await later(task.run(jobOf(file)));
    await later(task.run(jobOf(file)));
    await task.run(jobOf(file));
    const texts = rig.keysOf(file).filter((key) => key.includes('/text'));
    expect(texts).toEqual([textKey({ ...file, recognised: 3 })]);
  });

  it('ends before the next page when a file waits to be read', async () => {
    const file = await readFile(SCAN);
    let isWaiting = false;
    const readingLanes = lanesOf({
      waiting: async () => ({ ahead: 0, jobIds: isWaiting ? ['x'] : [] }),
    });
    const recognisePage: FileReader['recognisePage'] = async ({ n }) => {
      isWaiting = true;
      return `Recognised ${n}`;
    };
    const task = recognition({ readingLanes, recognisePage });
    expect(await later(task.run(jobOf(file)))).toBe(0);
    expect(await later(task.run(jobOf(file)))).toBeGreaterThan(0);
    expect(await textsOf(file)).toEqual(['Recognised 1', '', '']);
  });

  it('gives a text that a reader of the earlier record still finds', async () => {
    const file = await readFile(MIXED);
    const before = await found(file);
    await recognition().run(jobOf(file));
    const pages = await rig.files.texts.pagesOf(before);
    expect(pages[1]?.text).toBe('Received\nRecognised 2');
  });
});

describe('a worker that is lost', () => {
  it('does not change the text of the worker that followed', async () => {
    const file = await readFile(SCAN);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const save: typeof rig.texts.save = async (...text) => {
      begin();
      await released;
      return rig.texts.save(...text);
    };
    // It hangs while it stores the text of its first page.
    const lost = recognition({ ...slowPages(), texts: { ...rig.texts, save } });
    const hanging = lost.run(jobOf(file));
    await begun;
    const past = new Date(Date.now() - 60_000);
    await rig.model.updateOne(
      { _id: file.id },
      { 'recognition.attempt': 2, 'recognition.heartbeatAt': past },
    );
    await recognition().run(jobOf(file));
    release();
    await hanging;
    expect(await textsOf(file)).toEqual(['Recognised 1', 'Recognised 2', 'Recognised 3']);
    expect(await found(file)).toMatchObject({ recognised: 3, state: 'ready' });
  });

  it('is given up when it is lost again and again; the text before stays', async () => {
    const file = await readFile(MIXED);
    const past = new Date(Date.now() - 60_000);
    const lost = {
      'recognition.lost': 2,
      'recognition.attempt': 3,
      'recognition.heartbeatAt': past,
    };
    await rig.model.updateOne({ _id: file.id }, { $set: lost });
    await recognition({ recognisePage: async () => expect.unreachable() }).run(jobOf(file));
    const after = await found(file);
    expect(after).toMatchObject({ state: 'ready', unread: MIXED.unread });
    expect(after).not.toHaveProperty('recognition');
  });
});

describe('a file that is deleted', () => {
  it.each(['while a page is recognised', 'while its text is stored'])(
    '%s leaves nothing',
    async (when) => {
      const file = await readFile(SCAN);
      const isStored = when.endsWith('stored');
      const recognisePage: FileReader['recognisePage'] = async () => {
        if (!isStored) await rig.remove(file);
        return 'Text';
      };
      const save: typeof rig.texts.save = async (...text) => {
        if (isStored) await rig.remove(file);
        return rig.texts.save(...text);
      };
      await recognition({ recognisePage, texts: { ...rig.texts, save } }).run(jobOf(file));
      expect(rig.keysOf(file)).toEqual([]);
    },
  );

  it('before its turn leaves nothing', async () => {
    const file = await readFile(SCAN);
    await rig.model.deleteOne({ _id: file.id });
    await recognition().run(jobOf(file));
    expect(rig.keysOf(file)).toEqual([]);
  });
});

describe('the queue', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await connectRedis(process.env.REDIS_URL ?? '', {
      retry: 'always',
      onError: () => undefined,
    });
    return () => redis.disconnect();
  });

  it('lets the files of users take turns, each for a turn of its pages', async () => {
    const [many, one] = [await readFile(SCAN), await readFile(SCAN)];
    const order: string[] = [];
    const { now, recognisePage } = slowPages();
    const recognise: FileReader['recognisePage'] = async (options) => {
      order.push(`${options.path.includes(many.id) ? 'many' : 'one'} ${options.n}`);
      return recognisePage(options);
    };
    const { recognitionLane } = rig.files;
    const files: FilesFeature = {
      ...rig.files,
      now,
      reader: fakeReader({ recognisePage: recognise }),
      readingLanes: lanesOf(),
    };
    for (const file of [many, one])
      await recognitionLane.producer.add(file.id, jobOf(file), {
        priority: await recognitionLane.fairQueue.enter({ group: 'users', member: file.ownerId }),
      });
    const [job] = recognitionJobs(files);
    const worker = await job?.start({ redis, onError: () => undefined });
    await expect.poll(() => order.length).toBe(6);
    await worker?.close();
    expect(order).toEqual(['many 1', 'one 1', 'many 2', 'one 2', 'many 3', 'one 3']);
  });

  it('starts no recognition while a file waits to be read', async () => {
    const file = await readFile(SCAN);
    let checks = 0;
    const waiting = async () => ({ ahead: checks++ === 0 ? 1 : 0, jobIds: [] });
    const recognised: number[] = [];
    const recognisePage: FileReader['recognisePage'] = async ({ n }) => {
      recognised.push(checks);
      return `Recognised ${n}`;
    };
    const files = {
      ...rig.files,
      reader: fakeReader({ recognisePage }),
      readingLanes: lanesOf({ waiting }),
    };
    await rig.files.recognitionLane.producer.add(file.id, jobOf(file), { priority: 1 });
    const [job] = recognitionJobs(files);
    const worker = await job?.start({ redis, onError: () => undefined });
    await expect.poll(async () => (await found(file)).recognition).toBeUndefined();
    await worker?.close();
    expect(recognised).toHaveLength(3);
    expect(Math.min(...recognised)).toBeGreaterThan(1);
  });

  it('has a file again whose job was lost', async () => {
    const file = await readFile(SCAN);
    await rig.model.updateOne({ _id: file.id }, { 'recognition.dueAt': new Date(0) });
    await recognitionSweep({ ...rig.files, others: billing() }).run();
    const producer = createProducer(recognitionJob, redis);
    expect(await producer.canRun(file.id)).toBe(true);
    await producer.remove(file.id);
    await producer.close();
  });

  it('knows that a file waits to be read in any lane', async () => {
    const busy = lanesOf({ waiting: async () => ({ ahead: 1, jobIds: [] }) }).users;
    const { users, guests } = lanesOf();
    expect(await isReadingWaiting({ users, guests })).toBe(false);
    expect(await isReadingWaiting({ users, guests: busy })).toBe(true);
  });
});

const billing = (): FilesFeature['others'] => ({
  ...rig.files.others,
  billing: { entitlementsOf: async () => ({ kind: 'user' }) as never },
});
