import type { PromptMessage } from './port.ts';
import { countPromptTokens, mostPromptTokens } from './tokens.ts';

export const SYSTEM_PROMPT = `You are STOLAS, a calm and precise assistant.
Answer in the language of the person's last message. Come to the point first, then explain as far as it helps.
Write Markdown: short paragraphs, lists and tables where they make things clearer, code in fenced blocks with its language.
When you do not know or cannot be sure, say so plainly. Do not invent facts, sources or links.`;

/** However long the system prompt is, the last message may have this many tokens. */
const LEAST_FOR_LAST = 200;

/**
 * The part of a conversation that is sent: the system messages, then as many of the latest messages as fit into
 * `budgetTokens`, oldest dropped first, in their order. The last message is always there; when it alone is too long
 * its middle is left out with a note, because a person's question stands at one of the ends. The first turn
 * is never the assistant's, except when that is the last message (a reply that is to be continued).
 */
export function fitPrompt(
  messages: PromptMessage[],
  { budgetTokens }: { budgetTokens: number },
): PromptMessage[] {
  if (mostPromptTokens(messages) <= budgetTokens) return fromPerson(messages);
  const system = messages.filter(({ role }) => role === 'system');
  const turns = messages.filter(({ role }) => role !== 'system');
  const last = turns.pop();
  if (!last) return system;

  let room = budgetTokens - countPromptTokens(system);
  const kept = [shortened(last, Math.max(room, LEAST_FOR_LAST))];
  room -= cost(kept[0] ?? last);
  for (let turn = turns.pop(); turn; turn = turns.pop()) {
    room -= cost(turn);
    if (room < 0) break;
    kept.unshift(turn);
  }
  return fromPerson([...system, ...kept]);
}

const cost = (turn: PromptMessage): number => countPromptTokens([turn]) - countPromptTokens([]);

function fromPerson(messages: PromptMessage[]): PromptMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const start = first === -1 ? messages.length - 1 : first;
  return messages.filter(({ role }, index) => role === 'system' || index >= start);
}

/** `message` with so much left out of its middle that it fits into `room` tokens. */
function shortened(message: PromptMessage, room: number): PromptMessage {
  const whole = cost(message);
  if (whole <= room) return message;
  let keep = Math.floor((message.content.length * room) / whole);
  let cut = withoutMiddle(message, keep);
  while (keep > 0 && cost(cut) > room) {
    keep = Math.floor(keep * 0.9);
    cut = withoutMiddle(message, keep);
  }
  return cut;
}

function withoutMiddle(message: PromptMessage, keep: number): PromptMessage {
  const { content } = message;
  // Half a surrogate pair is no text.
  const head = content.slice(0, Math.ceil(keep / 2)).replace(/[\uD800-\uDBFF]$/, '');
  const tail = content.slice(content.length - Math.floor(keep / 2)).replace(/^[\uDC00-\uDFFF]/, '');
  const left = content.length - head.length - tail.length;
  return { ...message, content: `${head}\n\n[… ${left} characters left out here …]\n\n${tail}` };
}
