import { isActive, type Message, type Reply } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../../lib/query-client.ts';
import { messagesKey } from '../../../realtime/index.ts';
import { messagesQuery } from '../api.ts';
import { usePending } from './outbox.ts';

/** The reply that is being generated below these messages. */
export function runningReply(messages: readonly Message[] | undefined): Reply | undefined {
  const last = messages?.at(-1);
  return last?.role === 'assistant' && isActive(last.status) ? last : undefined;
}

const hasRunningReply = (messages: readonly Message[] | undefined): boolean =>
  runningReply(messages) !== undefined;

/** Whether a reply is being generated in a conversation, as far as its messages are loaded. */
export const isGenerating = (conversationId: string): boolean =>
  hasRunningReply(queryClient.getQueryData(messagesKey(conversationId)));

/** Whether a message is being sent or a reply generated in a conversation: nothing else can be started until then. */
export function useIsBusy(conversationId: string): boolean {
  const isPending = usePending(conversationId) !== undefined;
  // Reads the loaded messages and loads none itself.
  const { data: hasReply = false } = useQuery({
    ...messagesQuery(conversationId),
    enabled: false,
    select: hasRunningReply,
  });
  return isPending || hasReply;
}
