import type { Readable } from 'node:stream';

/** A file in the export of a user's data. */
export interface ExportEntry {
  /** Its path in the archive, such as `files/lease.pdf`. The archive renames duplicates. */
  path: string;
  /** Opens the file; null when it is gone. */
  open: () => Promise<Readable | null>;
}
