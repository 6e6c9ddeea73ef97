import { isActive } from '../../../contract/messages.ts';
import { AppError, notFound } from '../../../errors.ts';
import { type ConversationRecord, replyInProgress } from '../conversations/index.ts';
import type { MessageRecord, Scope } from './record.ts';
import type { MessageTree } from './tree-model.ts';

/** Where a message is to go; `parentId` left out: after the active leaf. */
interface Target {
  parentId?: string | null | undefined;
}

/** What a message is created under. */
export interface Parent {
  id: string | null;
  depth: number;
  /** UTF-8 bytes of the messages down to this one, and what their files add. */
  pathLength: number;
}

const ABOVE_ALL: Parent = { id: null, depth: -1, pathLength: 0 };
/** The active leaf is nearly always among so many of the deepest messages. */
const TIP = 3;

/** Finds the reply that a message is to follow. */
export function createParentSelection(messages: MessageTree) {
  /** UTF-8 bytes of the messages down to this one, and what their files add. */
  const lengthDownTo = async (record: MessageRecord): Promise<number> => {
    if (record.pathLength !== undefined) return record.pathLength;
    // A reply has none when it was stopped before its first attempt.
    const above = record.parentId ? await messages.find(record.parentId, record) : null;
    return (above?.pathLength ?? 0) + Buffer.byteLength(record.content);
  };

  const toParent = async (record: MessageRecord | null): Promise<Parent> => {
    if (!record) throw notFound('message');
    if (record.role === 'user') throw followsUserMessage();
    if (isActive(record.status)) throw replyInProgress();
    return { id: record.id, depth: record.depth, pathLength: await lengthDownTo(record) };
  };

  /** What the active leaf is probably among, read before it is known; nothing when a parent is named. */
  const readTip = async ({ parentId, ...scope }: Target & Scope): Promise<MessageRecord[]> =>
    parentId === undefined ? messages.tip(scope, TIP) : [];

  const selectParent = async (
    { id: conversationId, ownerId, activeLeafId }: ConversationRecord,
    { parentId }: Target,
    candidates: MessageRecord[],
  ): Promise<Parent> => {
    const id = parentId === undefined ? activeLeafId : parentId;
    if (id === null) return ABOVE_ALL;
    const found = candidates.find((record) => record.id === id);
    if (found || parentId !== undefined) return toParent(found ?? null);
    return toParent(await messages.find(id, { conversationId, ownerId }));
  };

  return { readTip, selectParent, lengthDownTo };
}

const followsUserMessage = () =>
  new AppError('invalid_field', 'A message can only follow a reply.', {
    details: { field: 'parentId' },
  });
