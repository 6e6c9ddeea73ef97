import { MAX_MEMORIES, type MemoryReceipt, type MemoryRefusal } from '../../contract/memory.ts';
import type { MemoryChanges } from './changes.ts';
import type { ForgettingStore } from './forgetting-model.ts';
import type { Cause, MemoryStore } from './model.ts';
import { type AcceptedOp, judgeOp, MAX_OPS, type ProposedOp } from './ops.ts';
import { pendingReason } from './pending.ts';
import { foldText, type MemoryRecord, memoryIdOf, type ScopeOf } from './record.ts';
import type { Range } from './typed.ts';

interface WritingDeps {
  memories: MemoryStore;
  changes: MemoryChanges;
  forgettings: ForgettingStore;
  now: () => Date;
}

export interface WriteInput {
  ownerId: string;
  conversationId: string;
  replyId: string;
  message: { id: string; content: string; createdAt: Date };
  typed: readonly Range[];
  scope: ScopeOf;
  /** The memories that the model was shown. */
  known: readonly MemoryRecord[];
  ops: readonly ProposedOp[];
}

type Written = MemoryReceipt['written'][number];
type Outcome = Written | MemoryRefusal;

/** Saves what the model proposed, as far as the user's words carry it. It may run again: the same words make the same memory. */
export function createWriting({ memories, changes, forgettings, now }: WritingDeps) {
  const isForgotten = async ({ ownerId, message }: WriteInput) => {
    const at = await forgettings.find(ownerId);
    return at !== null && message.createdAt <= at;
  };

  const add = async (input: WriteInput, op: AcceptedOp, cause: Cause): Promise<Outcome> => {
    const { ownerId, scope, message, known } = input;
    const { text, quote, kind, range } = op;
    const id = memoryIdOf({ ...scope, ownerId, messageId: message.id, text });
    const same = known.find((memory) => foldText(memory.text) === foldText(text));
    if (same && same.id !== id) return 'known';
    const reason = pendingReason({ text, quote, kind });
    const supersedes = op.op === 'update' ? op.targetId : null;
    const source = { conversationId: input.conversationId, messageId: message.id, ...range, quote };
    const state = reason ? ('pending' as const) : ('active' as const);
    const memory = { id, ownerId, ...scope, kind, text, state, reason, supersedes, source };
    const inserted = await changes.insert(memory, cause);
    const present = inserted ?? (await memories.find(id, ownerId));
    if (!present || present.state === 'deleted' || present.state === 'superseded') return 'known';
    // What was forgotten while this ran is not saved after all.
    if (inserted && (await isForgotten(input))) {
      await changes.erase(inserted, { ...cause, op: 'delete', actor: 'user', replyId: null });
      return 'known';
    }
    if (supersedes && present.state === 'active') await supersede(input, supersedes, cause);
    const written = op.op === 'update' ? 'update' : 'add';
    return { id, version: present.version, op: written, state: present.state };
  };

  /** @returns the memory that no longer holds; null when it had changed */
  const supersede = async ({ ownerId, scope }: WriteInput, id: string, cause: Cause) => {
    const target = await memories.find(id, ownerId);
    const isThere = target?.state === 'active' && target.scopeId === scope.scopeId;
    if (!target || !isThere) return null;
    return changes.change(
      target,
      { state: 'superseded', isPinned: false },
      { ...cause, op: 'supersede' },
    );
  };

  const remove = async (input: WriteInput, { targetId }: AcceptedOp, cause: Cause) => {
    const id = targetId ?? '';
    const gone = await supersede(input, id, cause);
    const present = gone ?? (await memories.find(id, input.ownerId));
    const isOwn = present?.state === 'superseded' && present.lastEvent.replyId === input.replyId;
    if (!present || !isOwn) return 'no_target' as const;
    return { id, version: present.version, op: 'remove' as const, state: present.state };
  };

  return async (input: WriteInput): Promise<Pick<MemoryReceipt, 'written' | 'refused'>> => {
    const { ownerId, replyId, message, typed, known, ops } = input;
    if (await isForgotten(input)) return { written: [], refused: [] };
    const targets = new Set(known.map(({ id }) => id));
    const cause: Cause = { op: 'add', actor: 'model', replyId, at: now() };
    let room = MAX_MEMORIES - (await memories.count(ownerId));
    const outcomes: Outcome[] = ops.slice(MAX_OPS).map(() => 'too_many' as const);
    for (const proposed of ops.slice(0, MAX_OPS)) {
      const op = judgeOp(proposed, { content: message.content, typed, targets });
      if (typeof op === 'string') outcomes.push(op);
      else if (op.op === 'remove') outcomes.push(await remove(input, op, cause));
      else if (room <= 0) outcomes.push('full');
      else {
        room -= 1;
        outcomes.push(await add(input, op, cause));
      }
    }
    return {
      written: outcomes.filter((outcome) => typeof outcome !== 'string'),
      refused: outcomes.flatMap((reason) => (typeof reason === 'string' ? { reason } : [])),
    };
  };
}
