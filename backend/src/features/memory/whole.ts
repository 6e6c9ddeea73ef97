import type { Actor } from '../../access/index.ts';
import type { ImportMemoriesBody, Memory } from '../../contract/memory.ts';
import { MAX_MEMORIES } from '../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import { eraseMemory, insertMemory } from './changes.ts';
import type { MemoryFeature } from './feature.ts';
import { presentMemory } from './present.ts';
import { foldText, memoryIdOf } from './record.ts';

const USER = { scope: 'user', scopeId: null } as const;

/** All memories of the user, with their states. */
export async function exportMemories(
  { memories }: MemoryFeature,
  { userId }: Pick<Actor, 'userId'>,
): Promise<{ memories: Memory[] }> {
  return { memories: (await memories.all(userId)).map(presentMemory) };
}

/**
 * Adds memories, each of which waits for approval; existing and superseded ones are left out.
 * @throws AppError memories_full
 */
export async function importMemories(
  memory: MemoryFeature,
  { userId: ownerId }: Actor,
  { memories: given }: ImportMemoriesBody,
): Promise<Memory[]> {
  const { memories, publishChange } = memory;
  const present = await memories.list(ownerId);
  const texts = new Set(present.map(({ text }) => foldText(text)));
  const missing = given.filter(
    ({ text, state }) => state !== 'superseded' && !texts.has(foldText(text)),
  );
  if (present.length + missing.length > MAX_MEMORIES) throw memoriesFull();
  const at = memory.now();
  const messageId = `import:${at.toISOString()}`;
  const cause = { op: 'import', actor: 'user', replyId: null, at } as const;
  const waiting = { state: 'pending', reason: 'import', supersedes: null, source: null } as const;
  const added = await Promise.all(
    missing.map(({ text, kind = 'fact' }) => {
      const id = memoryIdOf({ ...USER, ownerId, messageId, text });
      return insertMemory(memory, { ...USER, ...waiting, id, ownerId, kind, text }, cause);
    }),
  );
  const own = added.filter((one) => one !== null);
  // A concurrent import may have filled the limit meanwhile; the last one to reach this line counts all.
  if ((await memories.count(ownerId)) > MAX_MEMORIES) {
    await Promise.all(own.map((one) => eraseMemory(memory, one, cause)));
    throw memoriesFull();
  }
  publishChange(ownerId);
  return own.map(presentMemory);
}

/** Erases all memories of a user. Earlier messages are not saved any more. A failed call is to be repeated. */
export async function forgetAll(memory: MemoryFeature, { userId }: Actor): Promise<void> {
  const at = memory.now();
  await memory.forgettings.set(userId, at);
  const cause = { op: 'delete', actor: 'user', replyId: null, at } as const;
  for (;;) {
    const left = await memory.memories.list(userId, {
      states: ['active', 'pending', 'superseded'],
    });
    if (left.length === 0) break;
    await Promise.all(left.map((one) => eraseMemory(memory, one, cause)));
  }
  memory.publishChange(userId);
}

/** Removes all data of a user, for the deletion of the account. */
export async function removeAllOf(
  { memories, events, forgettings }: MemoryFeature,
  ownerId: string,
): Promise<void> {
  await events.removeAllOf(ownerId);
  await memories.removeAllOf(ownerId);
  await forgettings.removeAllOf(ownerId);
}

const memoriesFull = () =>
  new AppError(
    'memories_full',
    `You have ${MAX_MEMORIES} memories, the most there can be. Delete some first.`,
  );
