import { isActive, type Message, type Reply } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { loadedMessages, messagesQuery } from '../api.ts';
import { usePending } from './outbox.ts';

/** The reply that is being generated below these messages. */
export function runningReply(messages: readonly Message[] | undefined): Reply | undefined {
  const last = messages?.at(-1);
  return last?.role === 'assistant' && isActive(last.status) ? last : undefined;
}

/** Whether a reply is being generated in a conversation, as far as its messages are loaded. */
export const isGenerating = (conversationId: string): boolean =>
  runningReply(loadedMessages(conversationId)) !== undefined;

/**
 * Whether a message is being sent or a reply generated in a conversation: nothing else can be started until then. With `startedBy`, only a
 * reply that this user has asked for counts.
 */
export function useIsBusy(conversationId: string, startedBy?: string): boolean {
  const isPending = usePending(conversationId) !== undefined;
  // Reads the loaded messages and loads none itself.
  const { data: hasReply = false } = useQuery({
    ...messagesQuery(conversationId),
    enabled: false,
    select: (messages) => {
      const running = runningReply(messages);
      if (!running || startedBy === undefined) return running !== undefined;
      // In a conversation of one user replies have no author.
      return !running.author || running.author.id === startedBy;
    },
  });
  return isPending || hasReply;
}
