import { createHash } from 'node:crypto';
import type {
  Memory,
  MemoryEvent,
  MemorySnapshot,
  MemorySource,
  PendingReason,
} from '../../contract/memory.ts';
import { fold } from '../../text/fold.ts';

export interface MemoryRecord
  extends Omit<Memory, 'reason' | 'source' | 'createdAt' | 'updatedAt'> {
  ownerId: string;
  reason: PendingReason | null;
  /** The memory that it replaces once it is active. */
  supersedes: string | null;
  source: MemorySource | null;
  createdAt: Date;
  updatedAt: Date;
  /** The change that made this version, stored as an event right after. */
  lastEvent: EventRecord;
}

export interface EventRecord extends Omit<MemoryEvent, 'at'> {
  memoryId: string;
  ownerId: string;
  at: Date;
}

/** A new memory, before the store adds fields. */
export type NewMemory = Omit<
  MemoryRecord,
  'version' | 'isPinned' | 'createdAt' | 'updatedAt' | 'lastEvent'
>;

/** The memories that a reply reads and writes. */
export type ScopeOf = Pick<Memory, 'scope' | 'scopeId'>;

export const snapshotOf = ({
  text,
  kind,
  state,
  isPinned,
  version,
}: MemorySnapshot): MemorySnapshot => ({ text, kind, state, isPinned, version });

/** What a deleted memory keeps of its source: the place without the words, so that another reply to the message does not save them again. */
export const placeOf = (source: MemorySource | null): MemorySource | null =>
  source && { ...source, quote: '' };

/** Each version of a memory has one event. */
export const eventId = (memoryId: string, version: number): string => `${memoryId}:${version}`;

/** The words of a text without case, diacritics and punctuation; texts that differ only in these are equal. */
export const foldText = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();

/**
 * The same words of the same message give the same id: saving them again, after a crash or for another reply to the message, collides, even
 * with a memory that was deleted meanwhile.
 */
export const memoryIdOf = ({
  ownerId,
  scope,
  scopeId,
  messageId,
  text,
}: ScopeOf & { ownerId: string; messageId: string; text: string }): string =>
  createHash('sha256')
    .update([ownerId, scope, scopeId ?? '', messageId, foldText(text)].join('\n'))
    .digest('hex')
    .slice(0, 24);
