import { isActive, type Message } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { messagesQuery } from '../api.ts';
import { usePending } from './outbox.ts';

/** Whether a message is being sent or a reply generated in a conversation: nothing else can be started until then. */
export function useIsBusy(conversationId: string): boolean {
  const isPending = usePending(conversationId) !== undefined;
  // Reads the loaded messages and loads none itself.
  const { data: isGenerating = false } = useQuery({
    ...messagesQuery(conversationId),
    enabled: false,
    select: isLastActive,
  });
  return isPending || isGenerating;
}

function isLastActive(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && isActive(last.status);
}
