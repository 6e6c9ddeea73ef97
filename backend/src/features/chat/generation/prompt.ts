import { fitPrompt, type PromptMessage } from '../../../llm/index.ts';
import type { FilesContext } from '../../context.ts';
import { withMarkers, withoutSourceLinks } from '../../files/index.ts';
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

type Message = Pick<MessageRecord, 'role' | 'content'>;

interface PromptInput {
  /** The path down to the user message. */
  history: Message[];
  budgetTokens: number;
  /** What the files of the conversation add. */
  context?: FilesContext;
}

/**
 * The prompt: what the files add, and the last messages of `history` that fit into the rest of `budgetTokens`. Only text parts
 * are sent; reasoning never is. Earlier replies go without their citations, whose numbers are no ids of passages; the text that
 * is to be continued gets the ids back.
 */
export function buildPrompt(
  reply: GeneratedReply,
  { history, budgetTokens, context }: PromptInput,
): Promise<PromptMessage[]> {
  const { text = '', passages = [], images = [] } = context ?? {};
  const said = history.filter(({ content }) => content !== '').map(toPromptMessage);
  const question = said.findLast(({ role }) => role === 'user');
  if (question && images.length > 0) question.images = images;
  const messages: PromptMessage[] = [
    { role: 'system', content: text === '' ? SYSTEM_PROMPT : `${SYSTEM_PROMPT}\n\n${text}` },
    ...said,
  ];
  const { content: begun } = storedText(keptParts(reply));
  if (begun !== '')
    messages.push(
      { role: 'assistant', content: withMarkers(begun, passages) },
      { role: 'user', content: CONTINUE },
    );
  return fitPrompt(messages, { budgetTokens });
}

const toPromptMessage = ({ role, content }: Message): PromptMessage => ({
  role,
  content: role === 'assistant' ? withoutSourceLinks(content) : content,
});
