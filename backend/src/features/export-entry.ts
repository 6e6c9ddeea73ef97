import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { ObjectMissingError } from '../objects/index.ts';

/** A file in the export of a user's data. */
export interface ExportEntry {
  /** Its path in the archive, such as `files/lease.pdf`. The archive renames duplicates. */
  path: string;
  /** Opens the file; null when it is gone. */
  open: () => Promise<Readable | null>;
}

/** For `open`: what was listed has been deleted, or is another user's now. */
export function nullIfGone(error: unknown): null {
  if (error instanceof ObjectMissingError) return null;
  if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden'))
    return null;
  throw error;
}
