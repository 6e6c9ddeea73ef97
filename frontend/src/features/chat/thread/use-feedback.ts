import { t } from 'virtual:texts/chat';
import type { Message, Reply, ReplyFeedback } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { userMessageOf } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { messagesKey } from '../../../realtime/index.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { rateReply } from '../api.ts';

type Feedback = ReplyFeedback | undefined;

/** Stores the user's rating of a reply. It is shown at once, and taken back when storing fails. */
export function useFeedback(reply: Reply): (feedback: Feedback) => void {
  const { mutate } = useMutation({
    // Stored one after another, so that the last click counts.
    scope: { id: `feedback-${reply.id}` },
    mutationFn: ({ feedback }: Change) => rateReply(reply.id, feedback ?? { rating: null }),
    onError: (error, change) => {
      change.undo();
      toastError(t('feedbackFailed'), userMessageOf(error, t('checkConnection')));
    },
  });
  return (feedback) => {
    const former = showFeedback(reply, feedback);
    // A later click or another tab may have changed it meanwhile.
    const undo = () => showFeedback(reply, former, { instead: feedback });
    mutate({ feedback, undo });
  };
}

interface Change {
  feedback: Feedback;
  undo: () => void;
}

/** Shows this feedback in this tab, with `instead` only in the place of that one. @returns the former feedback */
function showFeedback(
  { id, conversationId }: Reply,
  feedback: Feedback,
  options?: { instead: Feedback },
): Feedback {
  let former: Feedback;
  queryClient.setQueryData<readonly Message[]>(messagesKey(conversationId), (messages) => {
    const index = messages?.findLastIndex((message) => message.id === id) ?? -1;
    const reply = messages?.[index];
    if (!messages || reply?.role !== 'assistant') return messages;
    const { feedback: shown, ...rest } = reply;
    former = shown;
    if (options && !isSame(shown, options.instead)) return messages;
    return messages.with(index, { ...rest, ...(feedback && { feedback }) });
  });
  return former;
}

const isSame = (a: Feedback, b: Feedback): boolean =>
  a?.rating === b?.rating && a?.reason === b?.reason;
