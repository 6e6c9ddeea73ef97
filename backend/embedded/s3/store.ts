import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Bucket } from './bucket.ts';
import { noSuchBucket, S3Error } from './errors.ts';
import { syncFolder } from './files.ts';

/** All buckets: `<folder>/buckets/<name>`, and `<folder>/tmp` for unfinished files. */
export class Store {
  readonly #buckets = new Map<string, Bucket>();
  readonly #creating = new Set<string>();
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the store in `folder` and removes the remains of a crash. Only one process may have it open. */
  static async open(folder: string): Promise<Store> {
    const store = new Store(folder);
    await rm(join(folder, 'tmp'), { recursive: true, force: true });
    for (const part of ['tmp', 'buckets']) await mkdir(join(folder, part), { recursive: true });
    for (const name of await readdir(join(folder, 'buckets'))) await store.#open(name);
    return store;
  }

  has(name: string): boolean {
    return this.#buckets.has(name);
  }

  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw noSuchBucket();
    return bucket;
  }

  /**
   * S3's rules for names also ensure that a name is safe as a folder name.
   * @throws S3Error InvalidBucketName, BucketAlreadyOwnedByYou
   */
  async createBucket(name: string): Promise<void> {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) || name.includes('..'))
      throw new S3Error(400, 'InvalidBucketName', 'The specified bucket is not valid.');
    if (this.#buckets.has(name) || this.#creating.has(name))
      throw new S3Error(409, 'BucketAlreadyOwnedByYou', 'You already own this bucket.');
    this.#creating.add(name);
    try {
      await this.#open(name);
      await syncFolder(join(this.#folder, 'buckets'));
    } finally {
      this.#creating.delete(name);
    }
  }

  /** @throws S3Error NoSuchBucket, BucketNotEmpty */
  async deleteBucket(name: string): Promise<void> {
    if (!this.bucket(name).isEmpty)
      throw new S3Error(409, 'BucketNotEmpty', 'The bucket you tried to delete is not empty.');
    this.#buckets.delete(name);
    const { path } = this.temporary();
    await rename(this.#path(name), path);
    await syncFolder(join(this.#folder, 'buckets'));
    await rm(path, { recursive: true });
  }

  /** A new path for an unfinished file; it is removed at the next start. */
  readonly temporary = (): { path: string; name: string } => {
    const name = randomUUID();
    return { path: join(this.#folder, 'tmp', name), name };
  };

  /**
   * Runs `work` with a temporary file and a stream that writes and syncs it. The file is removed afterwards, unless `work` moved it to its
   * place.
   */
  async withTemporary<T>(work: (path: string, sink: Writable) => Promise<T>): Promise<T> {
    const { path } = this.temporary();
    const sink = createWriteStream(path, { flags: 'wx', flush: true });
    try {
      return await work(path, sink);
    } finally {
      // Work that fails early leaves it open.
      if (!sink.closed) await once(sink.destroy(), 'close').catch(() => undefined);
      await rm(path, { force: true });
    }
  }

  async #open(name: string): Promise<void> {
    this.#buckets.set(name, await Bucket.open(this.#path(name), this.temporary));
  }

  #path(name: string): string {
    return join(this.#folder, 'buckets', name);
  }
}
