import { t } from 'virtual:texts/chat';
import type { Reply, ReplyResult } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { queryClient, signedInUser } from '../../../lib/query-client.ts';
import { live, messagesKey } from '../../../realtime/index.ts';
import { continueReply, loadedMessages, regenerateReply } from '../api.ts';
import { noteBegun } from '../artifacts/place.ts';
import { pinMessage } from '../sending/pinned.ts';
import { withRequestId } from '../sending/request-id.ts';
import { showSendError } from '../sending/send-errors.ts';
import { focusComposer } from '../text-box.ts';

const regenerateOnce = ({ id }: Reply): Promise<ReplyResult> =>
  withRequestId(`regenerate ${id}`, (clientReplyId) => regenerateReply(id, { clientReplyId }));

/** Generates another reply to the same message, beside this one. */
export function useRegenerate(reply: Reply): { regenerate: () => void; isPending: boolean } {
  const { mutate, isPending } = useMutation({
    mutationFn: () => regenerateOnce(reply),
    onSuccess: ({ reply: sibling }) => {
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
  const message = loadedMessages(conversationId)?.find(({ id }) => id === parentId);
  if (message?.role === 'user') {
    live.addSent({ message, reply });
    pinMessage(message.clientMessageId ?? message.id);
  }
  // The message is on an earlier page that is not loaded.
  else void queryClient.invalidateQueries({ queryKey: messagesKey(conversationId) });
}
