import type { MemoryReceipt } from '../../contract/memory.ts';
import type { MemoryMode } from '../../contract/reply-settings.ts';
import { countTokens } from '../../llm/index.ts';
import { rankTexts } from '../../text/ranking/rank-texts.ts';
import type { ContextContributor } from '../context.ts';
import type { MemoryFeature } from './feature.ts';
import { promptText } from './prompt-text.ts';
import type { MemoryRecord, ScopeOf } from './record.ts';

/** Besides the pinned ones. */
const MAX_MATCHES = 8;
/** For the whole block, in tokens. */
export const MAX_MEMORY_TOKENS = 800;

interface ReadInput {
  ownerId: string;
  replyId: string;
  personaId: string | null;
  mode: MemoryMode;
  /** The message that the reply answers. */
  message: string;
  /** For the whole block; the limit of 800 also applies. */
  budgetTokens: number;
}

interface ReadMemories {
  text: string;
  receipt: MemoryReceipt;
  /** Memories that did not fit. */
  leftOut: number;
}

/** The scopes that a reply reads: the user's, and its persona's. */
const scopesOf = (personaId: string | null): ScopeOf[] => [
  { scope: 'user', scopeId: null },
  ...(personaId ? [{ scope: 'persona' as const, scopeId: personaId }] : []),
];

/** The user's memories for a reply: the pinned ones, then those that fit the message best, within 800 tokens. */
export async function readMemories(
  { memories }: Pick<MemoryFeature, 'memories'>,
  input: ReadInput,
): Promise<ReadMemories> {
  const { ownerId, replyId, personaId, mode, message, budgetTokens } = input;
  const receipt: MemoryReceipt = { mode, read: [], written: [], refused: [] };
  const scopes = scopesOf(personaId);
  const all = await memories.list(ownerId, { states: ['active'], scopes });
  const pinned = all.filter(({ isPinned }) => isPinned);
  const others = all.filter(({ isPinned }) => !isPinned);
  const chosen = [...pinned, ...(await bestFor(message, others, MAX_MATCHES))];
  const most = Math.min(budgetTokens, MAX_MEMORY_TOKENS);
  const given = await withinBudget(chosen, { replyId, most });
  const read = given.map(({ id, version, isPinned }) => ({
    id,
    version,
    why: isPinned ? ('pinned' as const) : ('match' as const),
  }));
  const leftOut = chosen.length - given.length;
  return { text: promptText(given, replyId), receipt: { ...receipt, read }, leftOut };
}

/** The memories that fit a message best by BM25, best first. */
export async function bestFor(
  message: string,
  memories: readonly MemoryRecord[],
  limit: number,
): Promise<MemoryRecord[]> {
  const ranked = await rankTexts(
    message,
    memories.map(({ text }) => text),
  );
  return ranked.slice(0, limit).flatMap((at) => memories[at] ?? []);
}

/** As many in order as fit. A memory that does not fit leaves room for shorter ones after it. */
async function withinBudget(
  memories: MemoryRecord[],
  { replyId, most }: { replyId: string; most: number },
): Promise<MemoryRecord[]> {
  const [first] = memories;
  if (!first) return [];
  let room = most - (await countTokens(promptText([{ ...first, text: '' }], replyId)));
  const given: MemoryRecord[] = [];
  for (const memory of memories) {
    // A line's own tokens, plus one: joined lines may have more tokens than separate ones.
    const tokens = (await countTokens(`[m:${memory.id}] ${memory.text}\n`)) + 1;
    if (tokens > room) continue;
    room -= tokens;
    given.push(memory);
  }
  return given;
}

/** Adds the user's memories to prompts, unless the conversation is temporary or shared, or has memories off. */
export const memoryContributor = (
  memory: Pick<MemoryFeature, 'memories' | 'others'>,
): ContextContributor => ({
  name: 'memory',
  contribute: async ({
    ownerId,
    conversationId,
    replyId,
    path,
    persona,
    memory: mode,
    temporary,
    budgetTokens,
  }) => {
    if (mode === 'off' || temporary) return undefined;
    const { text, receipt, leftOut } = await readMemories(memory, {
      ownerId,
      replyId,
      personaId: persona?.id ?? null,
      mode,
      message: path.at(-1)?.content ?? '',
      budgetTokens,
    });
    if (receipt.read.length === 0) return undefined;
    // It may have been shared while the message was being sent. While the reply runs, nobody can share it.
    if (await memory.others.chat.isShared({ id: conversationId, ownerId })) return undefined;
    return {
      text,
      metadata: { memoryReceipt: receipt },
      ...(leftOut > 0 && { cut: 'Some memories did not fit.' }),
    };
  },
});
