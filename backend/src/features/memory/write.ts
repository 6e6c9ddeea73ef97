import { MAX_MEMORIES, type MemoryReceipt, type MemoryRefusal } from '../../contract/memory.ts';
import { changeMemory, eraseMemory, insertMemory } from './changes.ts';
import type { MemoryFeature } from './feature.ts';
import type { Cause } from './model.ts';
import { type AcceptedOp, judgeOp, MAX_OPS, type ProposedOp } from './ops.ts';
import { pendingReason } from './pending.ts';
import { foldText, type MemoryRecord, memoryIdOf, type ScopeOf } from './record.ts';
import type { Range } from './typed.ts';

export interface WriteInput {
  ownerId: string;
  conversationId: string;
  replyId: string;
  message: { id: string; content: string; createdAt: Date };
  typed: readonly Range[];
  scope: ScopeOf;
  /** The active and pending memories of the scope. */
  present: readonly MemoryRecord[];
  /** Those in the model's prompt. */
  known: readonly MemoryRecord[];
  ops: readonly ProposedOp[];
}

type Written = MemoryReceipt['written'][number];
type Outcome = Written | MemoryRefusal;

/** One operation for a message, with its cause. */
interface Operation {
  input: WriteInput;
  op: AcceptedOp;
  cause: Cause;
}

/** Saves the model's proposals that the user's words support. Repeating it makes the same memories. */
export async function writeMemories(
  memory: MemoryFeature,
  input: WriteInput,
): Promise<Pick<MemoryReceipt, 'written' | 'refused'>> {
  const { ownerId, replyId, message, typed, known, ops } = input;
  if (await isForgotten(memory, input)) return { written: [], refused: [] };
  const targets = new Set(known.map(({ id }) => id));
  const cause: Cause = { op: 'add', actor: 'model', replyId, at: memory.now() };
  let room = MAX_MEMORIES - (await memory.memories.count(ownerId));
  const outcomes: Outcome[] = ops.slice(MAX_OPS).map(() => 'too_many' as const);
  for (const proposed of ops.slice(0, MAX_OPS)) {
    const op = judgeOp(proposed, { content: message.content, typed, targets });
    if (typeof op === 'string') outcomes.push(op);
    else if (op.op === 'remove') outcomes.push(await remove(memory, { input, op, cause }));
    else if (room <= 0) outcomes.push('full');
    else {
      room -= 1;
      outcomes.push(await add(memory, { input, op, cause }));
    }
  }
  return {
    written: outcomes.filter((outcome) => typeof outcome !== 'string'),
    refused: outcomes.flatMap((reason) => (typeof reason === 'string' ? { reason } : [])),
  };
}

/** Whether the user erased all memories after the message was sent. */
async function isForgotten(
  { forgettings }: MemoryFeature,
  { ownerId, message }: WriteInput,
): Promise<boolean> {
  const at = await forgettings.find(ownerId);
  return at !== null && message.createdAt <= at;
}

async function add(memory: MemoryFeature, { input, op, cause }: Operation): Promise<Outcome> {
  const { ownerId, scope, message, present: saved } = input;
  const { text, quote, kind, range } = op;
  const id = memoryIdOf({ ...scope, ownerId, messageId: message.id, text });
  const same = saved.find((other) => foldText(other.text) === foldText(text));
  if (same && same.id !== id) return 'known';
  const reason = pendingReason({ text, quote, kind });
  const supersedes = op.op === 'update' ? op.targetId : null;
  const source = { conversationId: input.conversationId, messageId: message.id, ...range, quote };
  const state = reason ? ('pending' as const) : ('active' as const);
  const added = { id, ownerId, ...scope, kind, text, state, reason, supersedes, source };
  const isDeleted = await wasDeleted(memory, { input, op });
  const inserted = isDeleted ? null : await insertMemory(memory, added, cause);
  const present = inserted ?? (await memory.memories.find(id, ownerId));
  if (!present || present.state === 'deleted' || present.state === 'superseded') return 'known';
  // A memory that was saved while the user erased all is erased too.
  if (inserted && (await isForgotten(memory, input))) {
    await eraseMemory(memory, inserted, { ...cause, op: 'delete', actor: 'user', replyId: null });
    return 'known';
  }
  if (supersedes && present.state === 'active')
    await supersede(memory, supersedes, { input, cause });
  const written = op.op === 'update' ? 'update' : 'add';
  return { id, version: present.version, op: written, state: present.state };
}

/** Whether the user has deleted a memory of the same words of the message, however the model put them. */
async function wasDeleted(
  { memories }: MemoryFeature,
  { input: { ownerId, message }, op: { range } }: Pick<Operation, 'input' | 'op'>,
): Promise<boolean> {
  const deleted = await memories.deletedOf(message.id, ownerId);
  return deleted.some(
    ({ source }) => source && source.start < range.end && range.start < source.end,
  );
}

/** @returns the superseded memory; null when it had changed */
async function supersede(
  memory: MemoryFeature,
  id: string,
  { input: { ownerId, scope }, cause }: Pick<Operation, 'input' | 'cause'>,
): Promise<MemoryRecord | null> {
  const target = await memory.memories.find(id, ownerId);
  const isThere = target?.state === 'active' && target.scopeId === scope.scopeId;
  if (!target || !isThere) return null;
  return changeMemory(memory, target, {
    changes: { state: 'superseded', isPinned: false },
    cause: { ...cause, op: 'supersede' },
  });
}

async function remove(memory: MemoryFeature, { input, op, cause }: Operation): Promise<Outcome> {
  const id = op.targetId ?? '';
  const gone = await supersede(memory, id, { input, cause });
  const present = gone ?? (await memory.memories.find(id, input.ownerId));
  const isOwn = present?.state === 'superseded' && present.lastEvent.replyId === input.replyId;
  if (!present || !isOwn) return 'no_target';
  return { id, version: present.version, op: 'remove', state: present.state };
}
