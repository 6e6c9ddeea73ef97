import type { MemoryReceipt, MemoryRefusal } from '../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import { countPromptTokens, type JsonModel, StructuredAnswerError } from '../../llm/index.ts';
import type { PostStep } from '../post-step.ts';
import type { UsageService } from '../usage/index.ts';
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
  const { memories, write, jsonModel, usage, tellChanged } = deps;

  /** One call, charged beside the reply. @throws what the provider throws; then nothing is charged */
  const ask = async (
    { ownerId, reply, signal }: Parameters<PostStep['run']>[0],
    messages: ReturnType<typeof writingMessages>,
  ) => {
    const key = { replyId: reply.id, attempt: reply.attempt, kind: 'memory' as const };
    const promptTokens = await countPromptTokens(messages);
    await usage.reserve(ownerId, { ...key, promptTokens, replyTokens: MAX_TOKENS });
    try {
      const request = { name: 'memory_ops', schema: MemoryOps, maxTokens: MAX_TOKENS };
      const { value, usage: used } = await jsonModel.answer({ ...request, messages, signal });
      await usage.settle(ownerId, key, used);
      return value.ops;
    } catch (error) {
      if (!(error instanceof StructuredAnswerError)) {
        await usage.release(ownerId, key);
        throw error;
      }
      await usage.settle(ownerId, key, error.usage);
      return 'no_answer' as const;
    }
  };

  const refusing = (receipt: MemoryReceipt, reason: MemoryRefusal) => ({
    memoryReceipt: { ...receipt, refused: [{ reason }] },
  });

  return {
    name: 'memory',
    isNeeded: ({ settings: { memory, temporary }, question }) =>
      memory === 'on' && !temporary && (question === undefined || mayTellOfUser(question)),
    run: async (input) => {
      const { ownerId, conversationId, message, reply } = input;
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
      const ops = await ask(input, writingMessages(text, known)).catch((error: unknown) => {
        if (error instanceof AppError && error.status === 402) return 'quota' as const;
        throw error;
      });
      if (typeof ops === 'string') return refusing(receipt, ops);
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
