import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ExportEntry } from '../export-entry.ts';

/** A ZIP that is made while it is read, one entry after the other, so that no entry is whole in memory. */
export interface Archive {
  stream: Readable;
  total: number;
}

/**
 * @param onEntry called with the number of entries begun
 * An entry that no longer exists is empty; one that cannot be read ends the stream with its error.
 */
export function createArchive(
  entries: readonly ExportEntry[],
  onEntry: (done: number) => void,
): Archive {
  const zip = new ZipFile();
  const stream = zip.outputStream as Readable;
  const fail = (error: unknown) =>
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  let done = 0;
  for (const { path, open } of distinct(entries)) {
    zip.addReadStreamLazy(path, (add) => {
      const run = async () => {
        done += 1;
        onEntry(done);
        const source = (await open()) ?? Readable.from([]);
        source.on('error', fail);
        add(null, source);
      };
      run().catch(fail);
    });
  }
  zip.end();
  return { stream, total: entries.length };
}

/** Characters that some systems refuse in names, and paths that leave the folder. */
const safe = (path: string): string =>
  path
    .split('/')
    .map((name) => name.replace(/[\\:*?"<>|\p{Cc}]/gu, '_').replace(/^\.+$/, '_') || '_')
    .join('/');

function distinct(entries: readonly ExportEntry[]): ExportEntry[] {
  /** The number of the last duplicate, by name. */
  const used = new Map<string, number>();
  return entries.map(({ path, open }) => {
    const wanted = safe(path);
    let name = wanted;
    let n = used.get(wanted.toLowerCase()) ?? 0;
    while (used.has(name.toLowerCase())) {
      n += 1;
      name = wanted.replace(/(\.[^./]+)?$/, ` (${n})$1`);
    }
    used.set(wanted.toLowerCase(), n);
    used.set(name.toLowerCase(), 1);
    return { path: name, open };
  });
}
