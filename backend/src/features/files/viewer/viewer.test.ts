import { beforeAll, describe, expect, it } from 'vitest';
import { expectRejections } from '../../../../test/rejections.ts';
import { type FileReader, UnreadableFileError } from '../../../reading/index.ts';
import { bindTo } from '../calls.ts';
import { filePrefix, thumbnailKey } from '../library/file-record.ts';
import { fakeReader, newId, READ, startReading } from '../reading/reading.fixture.ts';
import { createMarksCache, createRenderings } from './caches.ts';
import { marksOf, readPage } from './pages.ts';
import { pagePicture, thumbnail } from './pictures.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
const RECT = { left: 0.1, top: 0.2, width: 0.3, height: 0.1 };
const WIDTH = 800;

beforeAll(async () => {
  rig = await startReading();
});

/** The object of the viewer, with a separate reader and caches. */
const viewerOf = (reader: Partial<FileReader>, now = rig.files.now) =>
  bindTo({
    ...rig.files,
    reader: fakeReader(reader),
    marks: createMarksCache(),
    renderings: createRenderings(now),
  });
const views = (reader: Partial<FileReader> = {}) => {
  const bind = viewerOf(reader);
  return { page: bind(readPage), marks: bind(marksOf) };
};
const pictures = (reader: Partial<FileReader> = {}, now?: () => Date) => {
  const bind = viewerOf(reader, now);
  return { page: bind(pagePicture), thumbnail: bind(thumbnail) };
};

/** A file that was read, unless `fields` differ, with its owner as the actor. */
async function insert(fields: object = {}) {
  const file = await rig.insert({ state: 'ready', pages: 2, ...fields });
  await rig.texts.save(file, [...READ.pages]);
  return { ...file, actor: { userId: file.ownerId } };
}

const stranger = { userId: newId() };
const code = (name: string) => ({ code: name });

describe('a page', () => {
  it('has its text and the number of pages', async () => {
    const { id: fileId, actor } = await insert();
    expect(await views().page(actor, { fileId, n: 2 })).toEqual({ n: 2, pages: 2, text: 'hoot.' });
  });

  it('has its rows and the size of its picture', async () => {
    const file = await insert({ pages: 1 });
    const page = { n: 1, text: 'Birds\nowl\t\t2\n', picture: { width: 600, height: 800 } };
    const rows = [
      [
        { text: 'owl', start: 6, end: 9 },
        { text: '', start: 10, end: 10 },
        { text: '2', start: 11, end: 12 },
      ],
    ];
    const shown = () => views().page(file.actor, { fileId: file.id, n: 1 });
    await rig.texts.save(file, [{ ...page, rowsStart: 6 }]);
    expect(await shown()).toEqual({ ...page, rows, pages: 1 });
    // As earlier versions stored it.
    const earlier = { ...page, rows };
    await rig.texts.save(file, [earlier]);
    expect(await shown()).toEqual({ ...earlier, pages: 1 });
  });

  it('has the names of the columns when it continues a table', async () => {
    const { actor, ...file } = await insert({ pages: 3 });
    const texts = ['Birds\nName\tCount\nowl\t2\n', 'Birds\ncrow\t3\n', 'Trees\nName\nelm\n'];
    await rig.texts.save(
      file,
      texts.map((text, at) => ({ n: at + 1, text, rowsStart: 6 })),
    );
    const shown = [1, 2, 3].map((n) => views().page(actor, { fileId: file.id, n }));
    const columns = (await Promise.all(shown)).map((page) => page.columns);
    expect(columns).toEqual([undefined, ['Name', 'Count'], undefined]);
  });

  it.each(['storing', 'waiting', 'reading', 'failed'])(
    'is not there while its file is %s',
    async (state) => {
      const { id: fileId, actor } = await insert({ state });
      const asked = views().page(actor, { fileId, n: 1 });
      await expect(asked).rejects.toMatchObject(code('file_not_ready'));
    },
  );

  it('of a file that cannot be read returns the reason', async () => {
    const problem = { code: 'encrypted', message: 'Remove the password.' };
    const { id: fileId, actor } = await insert({ state: 'failed', problem });
    const asked = views().page(actor, { fileId, n: 1 });
    await expect(asked).rejects.toMatchObject({ message: problem.message });
  });

  it('of a scan has a picture and no text', async () => {
    const problem = { code: 'no_text', message: 'No text.' };
    const { actor, ...file } = await insert({ state: 'failed', problem });
    const picture = { width: 600, height: 800 };
    await rig.texts.save(file, [{ n: 1, text: '', picture }]);
    const page = { n: 1, pages: 2, text: '', picture };
    expect(await views().page(actor, { fileId: file.id, n: 1 })).toEqual(page);
  });

  it('beyond the last one does not exist', async () => {
    const { id: fileId, actor } = await insert();
    for (const n of [0, 3]) {
      const asked = views().page(actor, { fileId, n });
      await expect(asked).rejects.toMatchObject(code('not_found'));
    }
  });

  it('of another user does not exist, nor do its marks and pictures', async () => {
    const { id: fileId } = await insert({ hasThumbnail: true });
    const of = { fileId, n: 1 };
    const calls = [
      views().page(stranger, of),
      views().marks(stranger, of, { start: 0, end: 4 }),
      pictures().page(stranger, of, WIDTH),
      pictures().thumbnail(stranger, fileId),
    ];
    await expectRejections(calls, code('not_found'));
  });
});

describe('marks', () => {
  it('are read once', async () => {
    const { id: fileId, actor } = await insert();
    let asked = 0;
    const { marks } = views({
      markPage: async () => {
        asked += 1;
        return [RECT];
      },
    });
    const mark = () => marks(actor, { fileId, n: 1 }, { start: 0, end: 4 });
    expect(await Promise.all([mark(), mark()])).toEqual([{ rects: [RECT] }, { rects: [RECT] }]);
    await marks(actor, { fileId, n: 1 }, { start: 1, end: 4 });
    expect(asked).toBe(2);
  });

  it.each([
    ['a range beyond the text', { start: 0, end: 5 }, {}],
    ['an empty range', { start: 2, end: 2 }, {}],
    ['a file without pages that are pictures', { start: 0, end: 4 }, { kind: 'text' }],
  ])('are none for %s', async (_, range, fields) => {
    const { id: fileId, actor } = await insert(fields);
    const { marks } = views({ markPage: async () => [RECT] });
    expect(await marks(actor, { fileId, n: 1 }, range)).toEqual({ rects: [] });
  });

  it('are none when the page cannot be marked', async () => {
    const { id: fileId, actor } = await insert();
    const markPage = () => Promise.reject(new UnreadableFileError('timed_out'));
    const range = { start: 0, end: 4 };
    expect(await views({ markPage }).marks(actor, { fileId, n: 1 }, range)).toEqual({ rects: [] });
  });
});

describe('a picture of a page', () => {
  const countRenders = () => {
    const renders: string[] = [];
    const renderPage: FileReader['renderPage'] = async ({ n, width }) => {
      renders.push(`${n}-${width}`);
      return Buffer.from('picture');
    };
    return { renders, ...pictures({ renderPage }) };
  };

  it('is rendered once for all callers, and then comes from the store', async () => {
    const { id: fileId, actor } = await insert();
    const { page, renders } = countRenders();
    const ask = async () => (await page(actor, { fileId, n: 1 }, WIDTH)).bytes();
    expect((await Promise.all([ask(), ask()])).map(String)).toEqual(['picture', 'picture']);
    await ask();
    expect((await (await pictures().page(actor, { fileId, n: 1 }, WIDTH)).bytes()).toString()).toBe(
      'picture',
    );
    expect(renders).toEqual(['1-800']);
  });

  it.each([
    [1, 400],
    [401, 800],
    [801, 1_200],
    [1_201, 1_600],
    [9_000, 1_600],
  ])('of %i pixels is rendered with %i', async (width, rendered) => {
    const { id: fileId, actor } = await insert();
    const { page, renders } = countRenders();
    const { bytes, etag } = await page(actor, { fileId, n: 2 }, width);
    await bytes();
    expect(renders).toEqual([`2-${rendered}`]);
    expect(etag).toContain(`-2-${rendered}`);
  });

  it.each([
    ['a file that is being stored', { state: 'storing' }, 1],
    ['a file without pictures', { kind: 'document' }, 1],
    ['a page beyond the last one', {}, 3],
  ])('does not exist for %s', async (_, fields, n) => {
    const { id: fileId, actor } = await insert(fields);
    const asked = countRenders().page(actor, { fileId, n }, WIDTH);
    await expect(asked).rejects.toMatchObject(code('not_found'));
  });

  it('exists for a scan whose text could not be read', async () => {
    const { id: fileId, actor } = await insert({ state: 'failed', pages: undefined });
    const { page, renders } = countRenders();
    await (await page(actor, { fileId, n: 1 }, WIDTH)).bytes();
    expect(renders).toEqual(['1-800']);
  });

  it('that cannot be rendered does not exist, and is rendered again on the next request', async () => {
    const { id: fileId, actor } = await insert();
    const renderPage = () => Promise.reject(new UnreadableFileError('damaged'));
    const { page } = pictures({ renderPage });
    for (let n = 0; n < 2; n += 1) {
      const { bytes } = await page(actor, { fileId, n: 1 }, WIDTH);
      await expect(bytes()).rejects.toMatchObject(code('not_found'));
    }
  });

  it('of a file that is deleted meanwhile leaves nothing', async () => {
    const { actor, ...file } = await insert();
    const renderPage = async () => {
      await rig.remove(file);
      return Buffer.from('picture');
    };
    const { bytes } = await pictures({ renderPage }).page(actor, { fileId: file.id, n: 1 }, WIDTH);
    await expect(bytes()).rejects.toMatchObject(code('not_found'));
    expect(rig.keysOf(file).filter((key) => key.startsWith(filePrefix(file)))).toEqual([]);
  });

  it('that exhausted its child is not rendered again for ten minutes', async () => {
    const { id: fileId, actor } = await insert();
    let renders = 0;
    let minutes = 0;
    const renderPage = async () => {
      renders += 1;
      throw new UnreadableFileError('timed_out');
    };
    const now = () => new Date(minutes * 60_000);
    const { page } = pictures({ renderPage }, now);
    const ask = async () => (await page(actor, { fileId, n: 1 }, WIDTH)).bytes();
    for (minutes of [0, 9, 10]) await expect(ask()).rejects.toMatchObject(code('not_found'));
    expect(renders).toBe(2);
  });

  it('is drawn for all remaining callers, and its drawing is aborted once all have gone', async () => {
    const { id: fileId, actor } = await insert();
    const signals: (AbortSignal | undefined)[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { page } = pictures({
      renderPage: async ({ signal }) => {
        signals.push(signal);
        await ended;
        return Buffer.from('picture');
      },
    });
    const ask = async (n: number, signal?: AbortSignal) =>
      (await page(actor, { fileId, n }, WIDTH)).bytes(signal);
    const leaving = new AbortController();
    const left = [1, 1, 2].map((n) => ask(n, leaving.signal));
    const stayed = ask(1);
    await expect.poll(() => signals.length).toBe(2);
    leaving.abort(new Error('gone'));
    await expectRejections(left, { message: 'gone' });
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
    end();
    expect(String(await stayed)).toBe('picture');
  });

  /** Requests many pages; none is ready before `end`. */
  const startMany = () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { page } = pictures({
      renderPage: async () => {
        await ended;
        return Buffer.from('picture');
      },
    });
    const ask = async ({ id: fileId, actor }: Awaited<ReturnType<typeof insert>>, n: number) =>
      (await page(actor, { fileId, n }, WIDTH)).bytes();
    return { ask, end: () => end() };
  };

  it('is refused while too many others of the user are rendered, not while those of others are', async () => {
    const [file, other] = [await insert({ pages: 100 }), await insert()];
    const { ask, end } = startMany();
    const asked = Array.from({ length: 13 }, (_, n) => ask(file, n + 1));
    await expect(Promise.race(asked)).rejects.toMatchObject(code('unavailable'));
    const ofOther = ask(other, 1);
    end();
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
    expect(String(await ofOther)).toBe('picture');
  });

  it('is refused while too many of all users are rendered', async () => {
    const files = await Promise.all(Array.from({ length: 51 }, () => insert()));
    const { ask, end } = startMany();
    const asked = files.map((file) => ask(file, 1));
    await expect(Promise.race(asked)).rejects.toMatchObject(code('unavailable'));
    end();
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });
});

describe('a thumbnail', () => {
  it('is the one that the reading has made', async () => {
    const { actor, ...file } = await insert({ hasThumbnail: true });
    await rig.objects.write(thumbnailKey(file), Buffer.from('small'), { type: 'image/webp' });
    const { bytes } = await pictures().thumbnail(actor, file.id);
    expect((await bytes()).toString()).toBe('small');
  });

  it('does not exist when none was made, or it was removed', async () => {
    const without = await insert();
    const asked = pictures().thumbnail(without.actor, without.id);
    await expect(asked).rejects.toMatchObject(code('not_found'));
    const gone = await insert({ hasThumbnail: true });
    const { bytes } = await pictures().thumbnail(gone.actor, gone.id);
    await expect(bytes()).rejects.toMatchObject(code('not_found'));
  });
});
