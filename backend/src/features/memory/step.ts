import type { MemoryReceipt, MemoryRefusal } from '../../contract/memory.ts';
import type { JsonModel } from '../../llm/index.ts';
import type { PostStep } from '../post-step.ts';
import { chargedAnswer, type UsageService } from '../usage/index.ts';
import { mayTellOfUser } from './cues.ts';
import { writingMessages } from './messages.ts';
import type { MemoryStore } from './model.ts';
import { MemoryOps } from './ops.ts';
import { bestFor } from './rank.ts';
import type { ScopeOf } from './record.ts';
import { textIn, typedRanges } from './typed.ts';
import type { createWriting } from './write.ts';

/** Longest answer of the call, and of its one repair, in tokens. */
const MAX_TOKENS = 600;
/** Memories that the call may change. */
const MOST_KNOWN = 20;

const NOTHING_READ: MemoryReceipt = { mode: 'on', read: [], written: [], refused: [] };

interface StepDeps {
  memories: Pick<MemoryStore, 'list'>;
  write: ReturnType<typeof createWriting>;
  jsonModel: JsonModel;
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  tellChanged: (ownerId: string) => void;
}

/** Saves after a reply what the user said about themselves in the message. */
export function createMemoryStep(deps: StepDeps): PostStep {
  const { memories, write, tellChanged } = deps;

  const refusing = (receipt: MemoryReceipt, reason: MemoryRefusal) => ({
    memoryReceipt: { ...receipt, refused: [{ reason }] },
  });

  return {
    name: 'memory',
    isNeeded: ({ settings: { memory, temporary }, question }) =>
      memory === 'on' && !temporary && (question === undefined || mayTellOfUser(question)),
    run: async (input) => {
      const { ownerId, conversationId, message, reply, run, signal } = input;
      const { persona, memory, temporary } = reply.settings;
      if (memory !== 'on' || temporary) return undefined;
      const receipt = reply.metadata?.memoryReceipt ?? NOTHING_READ;
      const typed = typedRanges(message.content, message.metadata?.pastes);
      const text = textIn(message.content, typed);
      if (!mayTellOfUser(text)) return undefined;
      const scope: ScopeOf = persona
        ? { scope: 'persona', scopeId: persona.id }
        : { scope: 'user', scopeId: null };
      const all = await memories.list(ownerId, { states: ['active'], scopes: [scope] });
      const fitting = await bestFor(text, all, MOST_KNOWN);
      const known = [...new Set([...fitting, ...all])].slice(0, MOST_KNOWN);
      const answer = await chargedAnswer(deps, {
        ownerId,
        reply,
        run,
        kind: 'memory',
        name: 'memory_ops',
        schema: MemoryOps,
        messages: writingMessages(text, known),
        maxTokens: MAX_TOKENS,
        signal,
      });
      if (typeof answer === 'string') return refusing(receipt, answer);
      const { ops } = answer.value;
      if (ops.length === 0) return undefined;
      const replyId = reply.id;
      const made = await write({
        ownerId,
        conversationId,
        replyId,
        message,
        typed,
        scope,
        known,
        ops,
      });
      if (made.written.length > 0) tellChanged(ownerId);
      return { memoryReceipt: { ...receipt, ...made } };
    },
  };
}
