import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CorsRule } from './cors.ts';
import { preconditionFailed } from './errors.ts';
import { place, readJson, syncFolder, systemCode, type Temporary, writeNew } from './files.ts';
import { Uploads } from './multipart.ts';

/** The record of one object, in its file and in memory. */
export interface ObjectRecord {
  readonly key: string;
  /** Name of the file in `data/`; the content of a name never changes. */
  readonly data: string;
  /** Bytes. */
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Content-Type and the other headers that are returned with the object. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums: Readonly<Record<string, string>>;
  /** The multipart upload that created it. */
  readonly uploadId?: string;
}

/** The caller's data about an object to store; the bucket adds the rest. */
export type NewObject = Omit<ObjectRecord, 'data' | 'modified'>;

/**
 * One bucket on disk: `objects/<sha256 of the key>.json` is the record, `data/<random name>` the content it points to. The record is
 * renamed into place after its content is synced, so that an object exists completely or not at all, and a key never becomes a path.
 */
export class Bucket {
  readonly uploads: Uploads;
  readonly #records = new Map<string, ObjectRecord>();
  readonly #folder: string;
  readonly #temporary: Temporary;
  #cors: readonly CorsRule[] = [];
  /** Changes run one after the other, so that a checked condition is still true at the change. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, temporary: Temporary) {
    this.#folder = folder;
    this.#temporary = temporary;
    this.uploads = new Uploads(join(folder, 'uploads'), temporary);
  }

  /** Opens the bucket in `folder` and creates it if needed; content without a record is removed. */
  static async open(folder: string, temporary: Temporary): Promise<Bucket> {
    const bucket = new Bucket(folder, temporary);
    for (const part of ['objects', 'data', 'uploads'])
      await mkdir(join(folder, part), { recursive: true });
    await syncFolder(folder);
    for (const name of await readdir(join(folder, 'objects'))) {
      const record = await readJson<ObjectRecord>(join(folder, 'objects', name));
      if (record) bucket.#records.set(record.key, record);
    }
    const used = new Set([...bucket.#records.values()].map((record) => record.data));
    for (const name of await readdir(join(folder, 'data')))
      if (!used.has(name)) await rm(bucket.#dataPath(name));
    bucket.#cors = (await readJson<CorsRule[]>(bucket.#corsPath())) ?? [];
    return bucket;
  }

  get cors(): readonly CorsRule[] {
    return this.#cors;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  keys(): Iterable<string> {
    return this.#records.keys();
  }

  get(key: string): ObjectRecord | undefined {
    return this.#records.get(key);
  }

  /** The object with its content opened, which stays readable after any change of the key; the caller closes it. */
  async read(key: string): Promise<{ record: ObjectRecord; file: FileHandle } | undefined> {
    for (;;) {
      const record = this.#records.get(key);
      if (!record) return undefined;
      try {
        return { record, file: await open(this.#dataPath(record.data), 'r') };
      } catch (error) {
        // Replaced or deleted while it was opened: read again. Any other error is thrown.
        if (systemCode(error) !== 'ENOENT' || this.#records.get(key) === record) throw error;
      }
    }
  }

  /**
   * Stores `object` with the synced content of the temporary file `content`.
   * @throws S3Error PreconditionFailed when the key is taken and `onlyIfNew` is set
   */
  put(object: NewObject, content: string, { onlyIfNew = false } = {}): Promise<ObjectRecord> {
    return this.#change(async () => {
      const old = this.#records.get(object.key);
      if (old && onlyIfNew) throw preconditionFailed();
      const temporary = this.#temporary();
      const record = { ...object, data: temporary.name, modified: Date.now() };
      // First, so that a full disk leaves the content where the caller removes it.
      await writeNew(temporary.path, JSON.stringify(record));
      await place(content, this.#dataPath(record.data));
      await place(temporary.path, this.#recordPath(object.key));
      this.#records.set(object.key, record);
      if (old) await rm(this.#dataPath(old.data), { force: true });
      return record;
    });
  }

  /** Deletes the existing objects among `keys`. */
  delete(keys: readonly string[]): Promise<void> {
    return this.#change(async () => {
      const gone = keys.flatMap((key) => this.#records.get(key) ?? []);
      for (const { key } of gone) {
        await rm(this.#recordPath(key), { force: true });
        this.#records.delete(key);
      }
      await syncFolder(join(this.#folder, 'objects'));
      for (const { data } of gone) await rm(this.#dataPath(data), { force: true });
    });
  }

  /** Replaces the rules; without rules other origins have no access. */
  setCors(rules: readonly CorsRule[]): Promise<void> {
    return this.#change(async () => {
      const { path } = this.#temporary();
      await writeNew(path, JSON.stringify(rules));
      await place(path, this.#corsPath());
      this.#cors = rules;
    });
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #dataPath(name: string): string {
    return join(this.#folder, 'data', name);
  }

  #recordPath(key: string): string {
    const hash = createHash('sha256').update(key).digest('hex');
    return join(this.#folder, 'objects', `${hash}.json`);
  }

  #corsPath(): string {
    return join(this.#folder, 'cors.json');
  }
}
