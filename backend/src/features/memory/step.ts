import type { MemoryReceipt } from '../../contract/memory.ts';
import type { MessageMetadata } from '../../contract/messages.ts';
import type { JsonModel } from '../../llm/index.ts';
import type { PostStep, PostStepInput } from '../post-step.ts';
import { chargedAnswer } from '../usage/index.ts';
import type { MemoryFeature } from './feature.ts';
import { writingMessages } from './messages.ts';
import { MemoryOps } from './ops.ts';
import { bestFor } from './read.ts';
import type { MemoryRecord, ScopeOf } from './record.ts';
import { mayTellOfUser, textIn, typedRanges } from './typed.ts';
import { writeMemories } from './write.ts';

/** Maximum tokens of the answer of the call, and of its one repair. */
const MAX_TOKENS = 600;
/** Maximum number of memories that the call may change. */
const MAX_KNOWN = 20;

const NOTHING_READ: MemoryReceipt = { mode: 'on', read: [], written: [], refused: [] };

/** After a reply, saves the user's statements about themselves in the message. */
export const memoryStep = (memory: MemoryFeature, jsonModel: JsonModel): PostStep => ({
  name: 'memory',
  isNeeded: ({ settings, question, metadata }) =>
    settings.memory === 'on' &&
    !settings.temporary &&
    // A continued reply has already saved the statements of its message.
    !metadata?.memoryReceipt?.written.length &&
    (question === undefined || mayTellOfUser(question)),
  run: (input) => saveFromMessage(memory, jsonModel, input),
});

async function saveFromMessage(
  memory: MemoryFeature,
  jsonModel: JsonModel,
  { ownerId, payer, conversationId, message, reply, run, signal }: PostStepInput,
): Promise<Pick<MessageMetadata, 'memoryReceipt'> | undefined> {
  const { persona, memory: mode, temporary } = reply.settings;
  if (mode !== 'on' || temporary || !message.isTypedByOwner) return undefined;
  const receipt = reply.metadata?.memoryReceipt ?? NOTHING_READ;
  const typed = typedRanges(message.content, message.metadata?.pastes);
  const text = textIn(message.content, typed);
  if (!mayTellOfUser(text)) return undefined;
  const scope: ScopeOf = persona
    ? { scope: 'persona', scopeId: persona.id }
    : { scope: 'user', scopeId: null };
  const present = await memory.memories.list(ownerId, { scopes: [scope] });
  const known = await knownFor(text, present);
  const answer = await chargedAnswer(
    { jsonModel, usage: memory.others.usage },
    {
      payer,
      reply,
      run,
      kind: 'memory',
      name: 'memory_ops',
      schema: MemoryOps,
      messages: writingMessages(text, known),
      maxTokens: MAX_TOKENS,
      signal,
    },
  );
  if (typeof answer === 'string')
    return { memoryReceipt: { ...receipt, refused: [{ reason: answer }] } };
  const { ops } = answer.value;
  if (ops.length === 0) return undefined;
  const about = { ownerId, conversationId, replyId: reply.id, message };
  const made = await writeMemories(memory, { ...about, typed, scope, present, known, ops });
  if (made.written.length > 0) memory.publishChange(ownerId);
  return { memoryReceipt: { ...receipt, ...made } };
}

/** The memories that the call may change: those that fit the text, then the last changed ones. */
async function knownFor(text: string, present: readonly MemoryRecord[]): Promise<MemoryRecord[]> {
  const active = present.filter(({ state }) => state === 'active');
  const fitting = await bestFor(text, active, MAX_KNOWN);
  return [...new Set([...fitting, ...active])].slice(0, MAX_KNOWN);
}
