import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { linesOf, type ReadPage } from '../../../reading/index.ts';
import { type FileRecord, type TextKey, textKey } from '../library/file-record.ts';
import { createByteCache } from './byte-cache.ts';

const MB = 1024 * 1024;
/** Maximum memory of the text and derived values per process. */
const CACHE_BYTES = 64 * MB;
/** The memory of an object besides its text. */
const OBJECT_BYTES = 100;

/** The extracted text of files. Callers check first that the actor may read the file. */
export interface FileTexts {
  /**
   * The pages of a `ready` file in order; do not change them. They stay in memory for a while.
   * @throws ObjectMissingError when the file has no text, or was deleted
   */
  pagesOf: (file: TextKey) => Promise<readonly ReadPage[]>;
  /**
   * A value computed from the pages of a file, such as an index: computed once, and cached as long as its pages. Its size counts like
   * theirs.
   * @param name identifies it among the derived values of the file
   * @throws ObjectMissingError as pagesOf does, and the errors of `compute`; a failure is not cached
   */
  derived: <T>(
    file: TextKey,
    name: string,
    compute: (pages: readonly ReadPage[]) => T | Promise<T>,
  ) => Promise<T>;
  /** Stores the pages of a file. */
  save: (file: TextKey, pages: readonly ReadPage[]) => Promise<void>;
  /** Removes the text that recognition has replaced, if any. */
  removeReplaced: (file: Pick<FileRecord, 'id' | 'ownerId' | 'replaced'>) => Promise<void>;
  /** Removes the stored pages of a file, if any. */
  remove: (file: TextKey) => Promise<void>;
}

interface Text {
  pages: readonly ReadPage[];
  derived: Map<string, Promise<unknown>>;
  bytes: number;
}

interface TextOptions {
  /** The current record of a file. */
  find?: (file: Pick<TextKey, 'id' | 'ownerId'>) => Promise<TextKey | null>;
  objects: Pick<ObjectStore, 'read' | 'write' | 'remove'>;
  /** Maximum memory of the texts in this process. */
  maxBytes?: number;
}

export function createFileTexts(options: TextOptions): FileTexts {
  const { objects, maxBytes = CACHE_BYTES } = options;
  const cache = createByteCache<Text>({ maxBytes });
  const textOf = (file: TextKey) => cache.get(textKey(file), () => load(options, file));

  return {
    pagesOf: async (file) => (await textOf(file)).pages,

    derived: async <T>(
      file: TextKey,
      name: string,
      compute: (pages: readonly ReadPage[]) => T | Promise<T>,
    ) => {
      const { pages, derived, bytes } = await textOf(file);
      const found = derived.get(name) as Promise<T> | undefined;
      if (found) return found;
      const computing = (async () => compute(pages))();
      derived.set(name, computing);
      computing.then(
        () => cache.grow(textKey(file), bytes),
        () => derived.delete(name),
      );
      return computing;
    },

    save: async (file, pages) => {
      await objects.write(textKey(file), await encode(pages), { type: 'application/gzip' });
      cache.delete(textKey(file));
    },

    removeReplaced: async ({ replaced, ...file }) => {
      if (replaced === undefined) return;
      const key = textKey({ ...file, recognised: replaced });
      cache.delete(key);
      await objects.remove(key);
    },

    remove: async (file) => {
      cache.delete(textKey(file));
      await objects.remove(textKey(file));
    },
  };
}

/** Recognition may have replaced the text since the record was read; ranges in the earlier text are valid in the new one. */
async function readNewer({ objects, find }: TextOptions, file: TextKey, error: ObjectMissingError) {
  const newer = await find?.(file);
  if (!newer || textKey(newer) === textKey(file)) throw error;
  return objects.read(textKey(newer));
}

async function load(options: TextOptions, file: TextKey) {
  const body = await options.objects.read(textKey(file)).catch((error: unknown) => {
    if (error instanceof ObjectMissingError) return readNewer(options, file, error);
    throw error;
  });
  const pages = await decode(body);
  const bytes = bytesOf(pages);
  return { value: { pages, derived: new Map(), bytes }, bytes };
}

// Each page is one line of JSON, so that parsing a long text neither blocks the event loop nor takes much more memory than the text.

async function encode(pages: readonly ReadPage[]): Promise<Buffer> {
  const lines = function* () {
    for (const page of pages) yield `${JSON.stringify(page)}\n`;
  };
  return buffer(Readable.from(lines()).pipe(createGzip()));
}

async function decode(body: Readable): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  await pipeline(body, createGunzip(), async (json: AsyncIterable<Buffer>) => {
    for await (const line of linesOf(json))
      pages.push(withoutCells(JSON.parse(line) as StoredPage));
  });
  return pages;
}

/** Earlier versions stored each cell of a table. */
type StoredPage = ReadPage & { rows?: { start: number }[][] };

const withoutCells = ({ rows, ...page }: StoredPage): ReadPage =>
  rows ? { ...page, rowsStart: rows[0]?.[0]?.start ?? 0 } : page;

/** Approximate memory of the pages: two bytes per code unit, and the objects. */
const bytesOf = (pages: readonly ReadPage[]): number =>
  pages.reduce((bytes, { text }) => bytes + 2 * text.length + OBJECT_BYTES, 0);
