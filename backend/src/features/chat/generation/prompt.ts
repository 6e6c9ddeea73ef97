import type { ReplyPart } from '../../../contract/messages.ts';
import { namedText } from '../../../contract/part-text.ts';
import { fitPrompt, type PromptMessage } from '../../../llm/index.ts';
import type { FilesContext } from '../../context.ts';
import { withMarkers, withoutSourceLinks } from '../../files/index.ts';
import type { MessageRecord } from '../messages/index.ts';

/** More messages than this never fit a useful budget; it bounds what is read from the database. */
export const MAX_PROMPT_MESSAGES = 200;

export const SYSTEM_PROMPT = `You are STOLAS, a calm and precise assistant.
Answer in the language of the user's last message. Come to the point first, then explain as far as it helps.
Write Markdown: short paragraphs, lists and tables where they make things clearer, code in fenced blocks with its language.
When you do not know or cannot be sure, say so plainly. Do not invent facts, sources or links.`;

const CONTINUE =
  'Your last answer was cut off. Go on exactly where it ends, in the same language and format. ' +
  'Do not repeat anything and do not comment on the interruption.';

type Message = Pick<MessageRecord, 'role' | 'content'> &
  Partial<Pick<MessageRecord, 'depth'>> & { parts?: ReplyPart[] };

interface PromptInput {
  /** The path down to the user message. */
  history: Message[];
  budgetTokens: number;
  /** What contributors add, in the order of the prompt. */
  contributed?: readonly { text: string }[];
  /** What the files of the conversation add. */
  context?: FilesContext | undefined;
  /** The text that is to be continued. */
  begun?: string;
}

/** A prompt, and what was left out of the conversation. */
export interface BuiltPrompt {
  messages: PromptMessage[];
  history: {
    /** How many messages are left out. */
    leftOut: number;
    /** Whether the last message is not whole. */
    isShortened: boolean;
  };
}

/**
 * The prompt: what contributors and files add, and the last messages of `history` that fit into the rest of `budgetTokens`. Only text parts
 * are sent; reasoning never is. Earlier replies go without their citations, whose numbers are no ids of passages; the text that
 * is to be continued gets the ids back.
 */
export async function buildPrompt({
  history,
  budgetTokens,
  contributed = [],
  context,
  begun = '',
}: PromptInput): Promise<BuiltPrompt> {
  const { text = '', passages = [], images = [] } = context ?? {};
  const said = history.filter(({ content }) => content !== '').map(toPromptMessage);
  const question = said.findLast(({ role }) => role === 'user');
  if (question && images.length > 0) question.images = images;
  const system = [SYSTEM_PROMPT, ...contributed.map((part) => part.text), text];
  const messages: PromptMessage[] = [
    { role: 'system', content: system.filter((part) => part !== '').join('\n\n') },
    ...said,
  ];
  if (begun !== '')
    messages.push(
      { role: 'assistant', content: withMarkers(begun, passages) },
      { role: 'user', content: CONTINUE },
    );
  const fitted = await fitPrompt(messages, { budgetTokens });
  const isShortened = fitted.some((message) => !messages.includes(message));
  const isLeftOut = (message: PromptMessage) => !fitted.includes(message);
  // Messages above the first one were not even read; one that is shortened is not left out.
  const leftOut = (history[0]?.depth ?? 0) + said.filter(isLeftOut).length - (isShortened ? 1 : 0);
  return { messages: fitted, history: { leftOut, isShortened } };
}

const toPromptMessage = ({ role, content, parts }: Message): PromptMessage => ({
  role,
  content: role === 'assistant' ? withoutSourceLinks(parts ? namedText(parts) : content) : content,
});
