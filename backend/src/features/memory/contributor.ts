import type { ContextContributor } from '../context.ts';
import type { createReading } from './read.ts';

/** Gives the user's memories to their replies, unless the conversation has that off or is temporary. */
export const createMemoryContributor = (
  read: ReturnType<typeof createReading>,
): ContextContributor => ({
  name: 'memory',
  contribute: async ({ ownerId, replyId, path, persona, memory, temporary, budgetTokens }) => {
    if (memory === 'off' || temporary) return undefined;
    const { text, receipt, leftOut } = await read({
      ownerId,
      replyId,
      personaId: persona?.id ?? null,
      mode: memory,
      message: path.at(-1)?.content ?? '',
      budgetTokens,
    });
    if (receipt.read.length === 0) return undefined;
    return { text, metadata: { memoryReceipt: receipt }, ...(leftOut > 0 && { cut: CUT }) };
  },
});

const CUT = 'Some memories did not fit.';
