import * as z from 'zod';
import type { MessageResult } from './auth.ts';

/** `queued` and `running` exports are made one at a time per user; `failed` ones can be requested again. */
export type DataExportState = 'queued' | 'running' | 'ready' | 'failed';

/** The export of a user's data, as a ZIP. */
export interface DataExport {
  id: string;
  state: DataExportState;
  /** Files in it so far, and in all; 0 of 0 until they are counted. */
  progress: { done: number; total: number };
  /** Bytes; once it is ready. */
  size?: number;
  /** ISO 8601. */
  requestedAt: string;
  /** The date of its erasure, ISO 8601; once it is ready. */
  expiresAt?: string;
}

/** GET /api/account/export, and POST with proof of the user (`ProofBody`). */
export interface DataExportResult {
  /** Null: none was requested, or it has been erased. */
  export: DataExport | null;
}

/**
 * POST /api/account/export/address, with proof of the user (`ProofBody`): downloads the export, whole or in ranges, so that an interrupted
 * download can be resumed.
 */
export interface DataExportAddress {
  url: string;
  expiresInSeconds: number;
}

/** The stores of a user's data; a receipt of a deletion has a line for each. */
export const DELETION_STORES = [
  'accounts',
  'billing',
  'usage',
  'workspaces',
  'files',
  'personas',
  'memory',
  'chat',
  'shares',
  'search',
  'privacy',
  'payments',
  'objects',
  'redis',
  'jobs',
] as const;
export type DeletionStore = (typeof DELETION_STORES)[number];

/** The data of a user found in one store, and the rest after the deletion. */
export interface DeletionCount {
  store: DeletionStore;
  /** The maximum at one time: documents, objects, keys, jobs or customers. */
  found: number;
  /** Null until the store was checked after the erasure. */
  left: number | null;
}

/** GET /api/deletions/:id, public for holders of the id: the progress of an account's erasure. It names no user. */
export interface DeletionReceipt {
  id: string;
  /** `done`: the last check found no data in any store. */
  state: 'running' | 'done';
  /** ISO 8601. */
  requestedAt: string;
  /** ISO 8601; once it is done. */
  finishedAt?: string;
  /** The end of the receipt's lifetime, ISO 8601; once it is done. */
  expiresAt?: string;
  stores: DeletionCount[];
  /** The user's messages in conversations of others, once they were looked for. */
  elsewhere?: MessagesElsewhere;
  /** What the user has left to the owners of workspaces. */
  handedOver?: HandedOver;
}

/** What a user shares with workspaces of others, and leaves to them. */
export interface HandedOver {
  conversations: number;
  personas: number;
  files: number;
}

/** Messages of a deleted account in conversations of others. */
export interface MessagesElsewhere {
  /** They stay, as those of a former member. */
  kept: number;
  erased: number;
}

/** GET /api/account/deletion: what of an account is shared with others, before it is deleted. */
export interface DeletionPreview {
  /** Conversations that the user shares with workspaces of others. */
  shared: number;
  /** Personas and files that the user shares with them. */
  personas: number;
  files: number;
  /** Messages in conversations of others. */
  messages: number;
}

export const DeletionParams = z.object({ id: z.string().regex(/^[0-9a-f]{48}$/) });

/** Answer of DELETE /api/auth/user. */
export interface DeletionResult extends MessageResult {
  /** Of the receipt. */
  receiptId: string;
}
