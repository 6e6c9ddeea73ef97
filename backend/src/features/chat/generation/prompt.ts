import { fitPrompt, type PromptMessage, SYSTEM_PROMPT } from '../../../llm/index.ts';
import type { MessageTree, ReplyRecord } from '../messages/index.ts';

/** More messages than this never fit a budget worth having; it bounds what is read from the database. */
const MAX_MESSAGES = 200;

const CONTINUE =
  'Your last answer was cut off. Go on exactly where it ends, in the same language and format. ' +
  'Do not repeat anything and do not comment on the interruption.';

/** What the provider is asked: the last messages of the conversation that fit into `budgetTokens`. */
export async function buildPrompt(
  reply: ReplyRecord,
  { messages: tree, budgetTokens }: { messages: Pick<MessageTree, 'path'>; budgetTokens: number },
): Promise<PromptMessage[]> {
  const history = await tree.path({
    conversationId: reply.conversationId,
    leafId: reply.parentId,
    limit: MAX_MESSAGES,
  });
  const messages: PromptMessage[] = [
    { role: 'system', content: SYSTEM_PROMPT },
    ...history
      .filter(({ content }) => content !== '')
      .map(({ role, content }): PromptMessage => ({ role, content })),
  ];
  if (reply.keepText && reply.content !== '')
    messages.push(
      { role: 'assistant', content: reply.content },
      { role: 'user', content: CONTINUE },
    );
  return fitPrompt(messages, { budgetTokens });
}
