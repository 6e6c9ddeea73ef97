import { t } from 'virtual:texts/chat';
import type { Message, Reply, ReplyResult } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { queryClient, signedInUser } from '../../../lib/query-client.ts';
import { randomUuid } from '../../../lib/uuid.ts';
import { live, messagesKey } from '../../../realtime/index.ts';
import { continueReply, regenerateReply } from '../api.ts';
import { noteBegun } from '../artifacts/place.ts';
import { pinMessage } from '../sending/pinned.ts';
import { showSendError } from '../sending/send-errors.ts';
import { focusComposer } from '../text-box.ts';

/**
 * Ids of requests to regenerate a reply that have no answer yet: the server recognises a repeated request by its id.
 */
const clientReplyIds = new Map<string, string>();

function regenerateOnce({ id }: Reply): Promise<ReplyResult> {
  const clientReplyId = clientReplyIds.get(id) ?? randomUuid();
  clientReplyIds.set(id, clientReplyId);
  return regenerateReply(id, { clientReplyId });
}

/** Generates another reply to the same message, beside this one. */
export function useRegenerate(reply: Reply): { regenerate: () => void; isPending: boolean } {
  const { mutate, isPending } = useMutation({
    mutationFn: () => regenerateOnce(reply),
    onSuccess: ({ reply: sibling }) => {
      clientReplyIds.delete(reply.id);
      showReply(sibling);
      focusComposer();
    },
    onError: (error) => showStartError(error, t('regenerateFailed')),
  });
  return { regenerate: () => mutate(), isPending };
}

/** Continues this reply after the text that it has. */
export function useContinue(reply: Reply): { continueIt: () => void; isPending: boolean } {
  const { mutate, isPending } = useMutation({
    mutationFn: () => continueReply(reply.id),
    onSuccess: ({ reply: queued }) => {
      live.continued(queued);
      focusComposer();
    },
    onError: (error) => showStartError(error, t('continueFailed')),
  });
  return { continueIt: () => mutate(), isPending };
}

function showStartError(error: Error, title: string): void {
  const user = signedInUser();
  if (user) showSendError(error, user, title);
}

function showReply(reply: Reply): void {
  noteBegun(reply.id);
  const { conversationId, parentId } = reply;
  const queryKey = messagesKey(conversationId);
  const messages = queryClient.getQueryData<readonly Message[]>(queryKey);
  const message = messages?.find(({ id }) => id === parentId);
  if (message?.role === 'user') {
    live.addSent({ message, reply });
    pinMessage(message.clientMessageId ?? message.id);
  }
  // The message is on an earlier page that is not loaded.
  else void queryClient.invalidateQueries({ queryKey });
}
