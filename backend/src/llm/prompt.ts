import type { PromptMessage } from './port.ts';
import { countPromptTokens, mostPromptTokens } from './tokens.ts';

/** Minimum tokens of the last message, even with a long system prompt. */
const MIN_LAST_TOKENS = 200;

/**
 * The sent part of a conversation: the system messages, then as many of the latest messages as fit into `budgetTokens`, in order; the
 * oldest are dropped first. The last message is always included; when it alone is too long, a note replaces its middle, because the
 * question is usually at the beginning or the end. The first message after the system's is never the assistant's, unless it is the last one
 * (a reply to continue).
 */
export async function fitPrompt(
  messages: PromptMessage[],
  { budgetTokens }: { budgetTokens: number },
): Promise<PromptMessage[]> {
  // The upper bound needs no tokenizer, and most prompts are far below the budget.
  if (mostPromptTokens(messages) <= budgetTokens) return fromUser(messages);
  const system = messages.filter(({ role }) => role === 'system');
  const others = messages.filter(({ role }) => role !== 'system');
  const last = others.pop();
  if (!last) return system;

  let room = budgetTokens - (await countPromptTokens(system));
  const shown = await shortened(last, Math.max(room, MIN_LAST_TOKENS));
  const kept = [shown];
  room -= await cost(shown);
  for (const message of others.toReversed()) {
    room -= await cost(message);
    if (room < 0) break;
    kept.unshift(message);
  }
  return fromUser([...system, ...kept]);
}

const cost = async (message: PromptMessage): Promise<number> =>
  (await countPromptTokens([message])) - (await countPromptTokens([]));

function fromUser(messages: PromptMessage[]): PromptMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const start = first === -1 ? messages.length - 1 : first;
  return messages.filter(({ role }, index) => role === 'system' || index >= start);
}

/** `message` with its middle cut, so that it fits into `room` tokens. */
async function shortened(message: PromptMessage, room: number): Promise<PromptMessage> {
  const whole = await cost(message);
  if (whole <= room) return message;
  let keep = Math.floor((message.content.length * room) / whole);
  let cut = withoutMiddle(message, keep);
  while (keep > 0 && (await cost(cut)) > room) {
    keep = Math.floor(keep * 0.9);
    cut = withoutMiddle(message, keep);
  }
  return cut;
}

function withoutMiddle(message: PromptMessage, keep: number): PromptMessage {
  const { content } = message;
  // Half a surrogate pair is not text.
  const head = content.slice(0, Math.ceil(keep / 2)).replace(/[\uD800-\uDBFF]$/, '');
  const tail = content.slice(content.length - Math.floor(keep / 2)).replace(/^[\uDC00-\uDFFF]/, '');
  const left = content.length - head.length - tail.length;
  return { ...message, content: `${head}\n\n[… ${left} characters left out here …]\n\n${tail}` };
}
