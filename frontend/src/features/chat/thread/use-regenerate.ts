import type { Message, Reply } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { t } from '../../../i18n/chat.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { live, messagesKey } from '../../../realtime/index.ts';
import { useUser } from '../../auth/index.ts';
import { continueReply, regenerateReply } from '../api.ts';
import { focusComposer } from '../composer/focus-composer.ts';
import { tellSendError } from '../composer/send-errors.ts';

/** Generates another reply to the same message, beside this one. */
export function useRegenerate(reply: Reply): { regenerate: () => void; isPending: boolean } {
  const { user } = useUser();
  const { mutate, isPending } = useMutation({
    mutationFn: () => regenerateReply(reply.id),
    onSuccess: ({ reply: sibling }) => {
      showReply(sibling);
      focusComposer();
    },
    onError: (error) => {
      if (user) tellSendError(error, user, t('regenerateFailed'));
    },
  });
  return { regenerate: () => mutate(), isPending };
}

/** Continues this reply after the text that it has. */
export function useContinue(reply: Reply): { continueIt: () => void; isPending: boolean } {
  const { user } = useUser();
  const { mutate, isPending } = useMutation({
    mutationFn: () => continueReply(reply.id),
    onSuccess: ({ reply: queued }) => {
      live.continued(queued);
      focusComposer();
    },
    onError: (error) => {
      if (user) tellSendError(error, user, t('continueFailed'));
    },
  });
  return { continueIt: () => mutate(), isPending };
}

function showReply(reply: Reply): void {
  const { conversationId, parentId } = reply;
  const queryKey = messagesKey(conversationId);
  const messages = queryClient.getQueryData<readonly Message[]>(queryKey);
  const message = messages?.find(({ id }) => id === parentId);
  if (message?.role === 'user') live.addSent({ message, reply });
  // The message is on an earlier page that is not loaded.
  else void queryClient.invalidateQueries({ queryKey });
}
