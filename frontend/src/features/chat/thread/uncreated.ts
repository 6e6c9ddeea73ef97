import { deriveTitle } from '../../../lib/title.ts';
import { isUncreated, type UnsentMessage } from '../composer/unsent.ts';

interface UncreatedConversation {
  id: string;
  title: string;
}

/** The conversations that are created with the first of these messages, in the order in which they were begun. */
export function uncreatedOf(messages: readonly UnsentMessage[]): UncreatedConversation[] {
  const titles = new Map<string, string>();
  for (const { conversationId, content } of messages) {
    if (isUncreated(conversationId) && !titles.has(conversationId)) {
      titles.set(conversationId, deriveTitle(content));
    }
  }
  return [...titles].map(([id, title]) => ({ id, title }));
}
