import type { Readable } from 'node:stream';

/** A file in the export of everything that is kept of a user. */
export interface ExportEntry {
  /** Its place in the archive, such as `files/lease.pdf`. Names that occur twice are told apart by the archive. */
  path: string;
  /** Opens it when its turn comes; null when it is gone by then. */
  open: () => Promise<Readable | null>;
}
