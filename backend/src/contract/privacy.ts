import * as z from 'zod';
import type { MessageResult } from './auth.ts';

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

/** Where something of a user may be kept; a receipt of a deletion has a line for each. */
export const DELETION_STORES = [
  'accounts',
  'billing',
  'usage',
  'files',
  'personas',
  'memory',
  'chat',
  'search',
  'privacy',
  'payments',
  'objects',
  'redis',
  'jobs',
] as const;
export type DeletionStore = (typeof DELETION_STORES)[number];

/** What was found of a user in one store, and what is left of it. */
export interface DeletionCount {
  store: DeletionStore;
  /** The most that was there at once: documents, objects, keys, jobs or customers. */
  found: number;
  /** Null until the store was checked after the erasure. */
  left: number | null;
}

/** GET /api/deletions/:id, for whoever knows the id: how far the erasure of an account is. It names no user. */
export interface DeletionReceipt {
  id: string;
  /** `done`: the last check has found nothing in any store. */
  state: 'running' | 'done';
  /** ISO 8601. */
  requestedAt: string;
  /** ISO 8601; once it is done. */
  finishedAt?: string;
  /** Until when the receipt is kept, ISO 8601; once it is done. */
  expiresAt?: string;
  stores: DeletionCount[];
}

export const DeletionParams = z.object({ id: z.string().regex(/^[0-9a-f]{48}$/) });

/** Answer of DELETE /api/auth/user. */
export interface DeletionResult extends MessageResult {
  /** Of the receipt. */
  receiptId: string;
}
