import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { ObjectMissingError } from '../objects/index.ts';

/** A file in the export of a user's data. */
export interface ExportEntry {
  /** Its path in the archive, such as `files/lease.pdf`. The archive renames duplicates. */
  path: string;
  /** Opens the file; null when it is gone. */
  open: () => Promise<Readable | null>;
}

export type ExportEntries = Iterable<ExportEntry> | AsyncIterable<ExportEntry>;

/** A file of JSON. `read` is called when it is opened. */
export const jsonEntry = (path: string, read: () => Promise<object>): ExportEntry => ({
  path,
  open: async () => Readable.from([`${JSON.stringify(await read(), null, 2)}\n`]),
});

/** For `open`: what was listed has been deleted, or is another user's now. */
export function nullIfGone(error: unknown): null {
  if (error instanceof ObjectMissingError) return null;
  if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden'))
    return null;
  throw error;
}
