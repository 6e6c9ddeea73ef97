/** `queued` and `running` exports are made one at a time for each user; `failed` ones can be asked for again. */
export type DataExportState = 'queued' | 'running' | 'ready' | 'failed';

/** The export of everything that is kept of a user, as a ZIP. */
export interface DataExport {
  id: string;
  state: DataExportState;
  /** Files that are in it so far, and in all; 0 of 0 until they are counted. */
  progress: { done: number; total: number };
  /** Bytes; once it is ready. */
  size?: number;
  /** ISO 8601. */
  requestedAt: string;
  /** When it is erased, ISO 8601; once it is ready. */
  expiresAt?: string;
}

/** GET /api/account/export, and POST with proof of the user (`ProofBody`). */
export interface DataExportResult {
  /** Null: none was asked for, or it is erased by now. */
  export: DataExport | null;
}

/**
 * POST /api/account/export/address, with proof of the user (`ProofBody`): downloads the export, whole or in ranges, so that
 * a download that broke off is resumed.
 */
export interface DataExportAddress {
  url: string;
  expiresInSeconds: number;
}
