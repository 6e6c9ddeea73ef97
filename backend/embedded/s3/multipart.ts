import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { noSuchUpload, S3Error } from './errors.ts';
import { place, readJson, syncFolder, systemCode, type Temporary, writeNew } from './files.ts';
import { compareKeys } from './request.ts';

/** A multipart upload that is neither completed nor aborted. */
export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly started: number;
}

export interface Part {
  readonly number: number;
  /** MD5 in hex. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  /** The verified checksum: the algorithm ('crc32', 'sha256') and the checksum in hex. */
  readonly checksum?: Checksum;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export type Checksum = { algorithm: string; hex: string };

/** A part, as the client names it in the completion of an upload. */
export type ChosenPart = Pick<Part, 'number' | 'etag' | 'checksum'>;

/** S3's rule: only the last part may be smaller. */
const MIN_PART_SIZE = 5 * 1024 * 1024;

/**
 * Uploads of one bucket on disk: `<folder>/<id>/upload.json`, and a file `<number>-<md5>-<size>[-<algorithm>-<checksum>]` for each part.
 */
export class Uploads {
  readonly #folder: string;
  readonly #temporary: Temporary;

  constructor(folder: string, temporary: Temporary) {
    this.#folder = folder;
    this.#temporary = temporary;
  }

  /** Begins an upload of `key`; `headers` belong to the future object. */
  async start(key: string, headers: Record<string, string>): Promise<Upload> {
    const started = Date.now();
    // Ids sort in the order of their starts, which is the order of a listing.
    const id = started.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
    const upload = { id, key, headers, started };
    const { path } = this.#temporary();
    await mkdir(path);
    await writeNew(join(path, 'upload.json'), JSON.stringify(upload));
    await syncFolder(path);
    await place(path, this.#path(upload.id));
    return upload;
  }

  /** @throws S3Error NoSuchUpload, also when the upload belongs to another key */
  async find(id: string, key: string): Promise<Upload> {
    const upload = /^[0-9a-f]{32}$/.test(id) ? await this.#read(id) : undefined;
    if (upload?.key !== key) throw noSuchUpload();
    return upload;
  }

  /** Uploads whose key begins with `prefix`, by key and id. */
  async list(prefix: string): Promise<Upload[]> {
    const all = await Promise.all((await readdir(this.#folder)).map((id) => this.#read(id)));
    return all
      .filter((upload) => upload !== undefined)
      .filter((upload) => upload.key.startsWith(prefix))
      .toSorted((a, b) => compareKeys(a.key, b.key) || (a.id < b.id ? -1 : Number(a.id > b.id)));
  }

  /** Adds the part with the synced content of the temporary file `content`; a part of the same number is replaced. */
  async addPart(upload: Upload, part: Omit<Part, 'modified'>, content: string): Promise<void> {
    const older = (await this.#files(upload)).filter(({ number }) => number === part.number);
    const name = fileName(part);
    await orNoSuchUpload(place(content, join(this.#path(upload.id), name)));
    for (const file of older)
      if (file.name !== name) await rm(join(this.#path(upload.id), file.name), { force: true });
  }

  /** All parts, by number. */
  async parts(upload: Upload): Promise<Part[]> {
    const parts = new Map<number, Part>();
    for (const { name, ...part } of await this.#files(upload)) {
      const { mtimeMs } = await orNoSuchUpload(stat(join(this.#path(upload.id), name)));
      // A crash in addPart leaves two files of one number: the later one counts.
      if (mtimeMs >= (parts.get(part.number)?.modified ?? 0))
        parts.set(part.number, { ...part, modified: mtimeMs });
    }
    return [...parts.values()].toSorted((a, b) => a.number - b.number);
  }

  /**
   * Writes the chosen parts one after the other into `sink`; the upload itself stays unchanged.
   * @returns the total size, and S3's ETag of joined parts
   * @throws S3Error InvalidPartOrder, InvalidPart, EntityTooSmall
   */
  async join(
    upload: Upload,
    chosen: readonly ChosenPart[],
    sink: Writable,
  ): Promise<{ size: number; etag: string }> {
    const parts = checkedParts(chosen, await this.parts(upload));
    const paths = parts.map((part) => join(this.#path(upload.id), fileName(part)));
    await orNoSuchUpload(pipeline(Readable.from(contentOf(paths), { objectMode: false }), sink));
    const md5 = createHash('md5');
    for (const part of parts) md5.update(part.etag, 'hex');
    return {
      size: parts.reduce((size, part) => size + part.size, 0),
      etag: `${md5.digest('hex')}-${parts.length}`,
    };
  }

  /** Removes an upload and its parts in one atomic step. */
  async remove(upload: Upload): Promise<void> {
    const { path } = this.#temporary();
    await orNoSuchUpload(rename(this.#path(upload.id), path));
    await syncFolder(this.#folder);
    await rm(path, { recursive: true, force: true });
  }

  async #files(upload: Upload) {
    const names = await orNoSuchUpload(readdir(this.#path(upload.id)));
    return names.flatMap((name) => {
      const groups = FILE_NAME.exec(name)?.groups;
      if (!groups) return [];
      const { number, etag = '', size, algorithm, hex = '' } = groups;
      const checksum = algorithm === undefined ? {} : { checksum: { algorithm, hex } };
      return [{ name, number: Number(number), etag, size: Number(size), ...checksum }];
    });
  }

  #read(id: string): Promise<Upload | undefined> {
    return readJson<Upload>(join(this.#path(id), 'upload.json'));
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }
}

const FILE_NAME =
  /^(?<number>\d+)-(?<etag>[0-9a-f]{32})-(?<size>\d+)(?:-(?<algorithm>[a-z0-9]+)-(?<hex>[0-9a-f]+))?$/;

const fileName = ({ number, etag, size, checksum }: Omit<Part, 'modified'>): string =>
  [number, etag, size, ...(checksum ? [checksum.algorithm, checksum.hex] : [])].join('-');

async function* contentOf(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path, { highWaterMark: 1024 * 1024 });
}

function checkedParts(chosen: readonly ChosenPart[], present: readonly Part[]): Part[] {
  const byNumber = new Map(present.map((part) => [part.number, part]));
  return chosen.map(({ number, etag, checksum }, i) => {
    if (i > 0 && number <= (chosen[i - 1]?.number ?? 0))
      throw new S3Error(400, 'InvalidPartOrder', 'The parts were not in ascending order.');
    const part = byNumber.get(number);
    const named = checksum ?? part?.checksum;
    if (part?.etag !== etag || !isDeepStrictEqual(named, part.checksum))
      throw new S3Error(400, 'InvalidPart', 'One or more of the parts could not be found.');
    if (i < chosen.length - 1 && part.size < MIN_PART_SIZE)
      throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is too small.');
    return part;
  });
}

/** An upload that was completed or aborted meanwhile has no folder. */
async function orNoSuchUpload<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? noSuchUpload() : error;
  }
}
