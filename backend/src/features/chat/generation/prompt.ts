import { fitPrompt, type PromptMessage } from '../../../llm/index.ts';
import type { MessageRecord } from '../messages/index.ts';
import { storedText } from './parts.ts';
import { type GeneratedReply, keptParts } from './reply-record.ts';

/** More messages than this never fit a useful budget; it bounds what is read from the database. */
export const MAX_PROMPT_MESSAGES = 200;

const SYSTEM_PROMPT = `You are STOLAS, a calm and precise assistant.
Answer in the language of the user's last message. Come to the point first, then explain as far as it helps.
Write Markdown: short paragraphs, lists and tables where they make things clearer, code in fenced blocks with its language.
When you do not know or cannot be sure, say so plainly. Do not invent facts, sources or links.`;

const CONTINUE =
  'Your last answer was cut off. Go on exactly where it ends, in the same language and format. ' +
  'Do not repeat anything and do not comment on the interruption.';

/**
 * The prompt: the last messages of `history`, the path down to the user message, that fit into `budgetTokens`. Only
 * text parts are sent; reasoning never is.
 */
export function buildPrompt(
  reply: GeneratedReply,
  {
    history,
    budgetTokens,
  }: { history: Pick<MessageRecord, 'role' | 'content'>[]; budgetTokens: number },
): Promise<PromptMessage[]> {
  const messages: PromptMessage[] = [
    { role: 'system', content: SYSTEM_PROMPT },
    ...history
      .filter(({ content }) => content !== '')
      .map(({ role, content }): PromptMessage => ({ role, content })),
  ];
  const { content: begun } = storedText(keptParts(reply));
  if (begun !== '')
    messages.push({ role: 'assistant', content: begun }, { role: 'user', content: CONTINUE });
  return fitPrompt(messages, { budgetTokens });
}
