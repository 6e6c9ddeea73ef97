import type { Message, Reply } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../../lib/query-client.ts';
import { live, messagesKey } from '../../../realtime/index.ts';
import { useUser } from '../../auth/index.ts';
import { continueReply, regenerateReply } from '../api.ts';
import { focusComposer } from '../composer/focus-composer.ts';
import { tellSendError } from '../composer/send-errors.ts';

const REGENERATE_FAILED = 'The reply could not be generated again. Please try again.';
const CONTINUE_FAILED = 'The reply could not be continued. Please try again.';

/** Generates another reply to the same message, beside this one. */
export function useRegenerate(reply: Reply): { regenerate: () => void; isPending: boolean } {
  const { user } = useUser();
  const { mutate, isPending } = useMutation({
    mutationFn: () => regenerateReply(reply.id),
    onSuccess: async ({ reply: sibling }) => {
      const message = cachedMessage(sibling.conversationId, sibling.parentId);
      // Without the message the socket's `message:created` brings the reply.
      if (message?.role === 'user') live.addSent({ message, reply: sibling });
      focusComposer();
    },
    onError: (error) => {
      if (user) tellSendError(error, user, REGENERATE_FAILED);
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
      if (user) tellSendError(error, user, CONTINUE_FAILED);
    },
  });
  return { continueIt: () => mutate(), isPending };
}

const cachedMessage = (conversationId: string, id: string | null): Message | undefined =>
  queryClient
    .getQueryData<readonly Message[]>(messagesKey(conversationId))
    ?.find((message) => message.id === id);
