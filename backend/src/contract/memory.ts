import * as z from 'zod';
import { Id, Ids, namesChange } from './id.ts';
import { MAX_MEMORY_LENGTH } from './limits.ts';
import type { MemoryMode } from './reply-settings.ts';

export { MAX_MEMORIES, MAX_MEMORY_LENGTH } from './limits.ts';

export const MEMORY_KINDS = ['fact', 'preference', 'instruction'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** Where a memory is read: in all conversations of the user, or in those with one persona or in one project. */
export type MemoryScope = 'user' | 'persona' | 'project';

const MEMORY_STATES = ['active', 'pending', 'superseded', 'deleted'] as const;

/**
 * `pending`: read only after the user's approval. `superseded`: a later memory has replaced it, or the user said that it is no longer true.
 * `deleted`: its text is erased.
 */
export type MemoryState = (typeof MEMORY_STATES)[number];

/** Why a memory waits for the user's approval. */
export type PendingReason = 'instruction' | 'url' | 'sensitive' | 'import';

/** A memory of a user. */
export interface Memory {
  id: string;
  scope: MemoryScope;
  /** The persona or project; null for `user`. */
  scopeId: string | null;
  kind: MemoryKind;
  text: string;
  state: MemoryState;
  isPinned: boolean;
  /** Raised by every change. */
  version: number;
  /** Only while it is pending. */
  reason?: PendingReason;
  /** The user's own words that it is based on; absent in an import. */
  source?: MemorySource;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

export interface MemorySource {
  conversationId: string;
  messageId: string;
  /** UTF-16 code units in the message; `end` is exclusive. */
  start: number;
  end: number;
  quote: string;
}

export type MemoryOp =
  | 'add'
  | 'import'
  | 'edit'
  | 'pin'
  | 'unpin'
  | 'approve'
  | 'reject'
  | 'supersede'
  | 'undo'
  | 'delete';

/** A memory after a change. The text is empty once the memory is deleted. */
export interface MemorySnapshot {
  text: string;
  kind: MemoryKind;
  state: MemoryState;
  isPinned: boolean;
  version: number;
}

/** One change of a memory. */
export interface MemoryEvent {
  id: string;
  op: MemoryOp;
  /** Null for the first one. */
  before: MemorySnapshot | null;
  after: MemorySnapshot;
  actor: 'user' | 'model';
  /** The reply after which the model made it. */
  replyId: string | null;
  /** ISO 8601. */
  at: string;
}

export type MemoryRefusal =
  /** The quote does not occur in the text that the user typed. */
  | 'not_said'
  /** A part of the text, such as a number, is not in the quote. */
  | 'not_in_quote'
  /** It is already saved, or was saved and deleted. */
  | 'known'
  /** The memory to change does not exist. */
  | 'no_target'
  | 'too_many'
  /** The user has the maximum number of memories. */
  | 'full'
  /** The plan's quota is used up. */
  | 'quota'
  /** The model gave no usable answer. */
  | 'no_answer';

/** The memories that a reply read, and those saved after it. */
export interface MemoryReceipt {
  mode: MemoryMode;
  read: { id: string; version: number; why: 'pinned' | 'match' }[];
  written: { id: string; version: number; op: 'add' | 'update' | 'remove'; state: MemoryState }[];
  refused: { reason: MemoryRefusal }[];
  /** The user undid the saved memories. */
  isUndone?: boolean;
}

const text = z
  .string()
  .trim()
  .min(1, 'Write the memory first.')
  .max(MAX_MEMORY_LENGTH, `Shorten the memory to ${MAX_MEMORY_LENGTH} characters.`);

/** GET /api/memories: last changed first. Without `state`, active and pending ones. */
export const ListMemoriesQuery = z.object({
  q: z.string().trim().max(200).optional(),
  state: z.enum(['active', 'pending', 'superseded']).optional(),
  scope: z.enum(['user', 'persona', 'project']).optional(),
  ids: Ids(50).optional(),
});
export type ListMemoriesQuery = z.input<typeof ListMemoriesQuery>;

export interface MemoryList {
  memories: Memory[];
  /** Active and pending ones, of all scopes; at most `MAX_MEMORIES`. */
  count: number;
}

/** PATCH /api/memories/{id}: a change of that version; 409 when it has another version. */
export const EditMemoryBody = z
  .object({
    version: z.int().min(1),
    text: text.optional(),
    kind: z.enum(MEMORY_KINDS).optional(),
    isPinned: z.boolean().optional(),
  })
  .refine(({ version: _version, ...changes }) => namesChange[0](changes), namesChange[1]);
export type EditMemoryBody = z.input<typeof EditMemoryBody>;

/** POST /api/memories/undo: undoes the memories that were saved after a reply. Repeating it changes nothing more. */
export const UndoMemoriesBody = z.object({ replyId: Id });
export type UndoMemoriesBody = z.input<typeof UndoMemoriesBody>;

/** POST /api/memories/import: each one waits for approval, and superseded ones are left out. */
export const ImportMemoriesBody = z.object({
  memories: z
    .array(
      z.object({
        text,
        kind: z.enum(MEMORY_KINDS).default('fact'),
        state: z.enum(MEMORY_STATES).optional(),
      }),
    )
    .min(1)
    .max(100),
});
export type ImportMemoriesBody = z.input<typeof ImportMemoriesBody>;
