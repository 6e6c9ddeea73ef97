import type { Reply, ReplyError, ReplyStatus, RetryReplyBody } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { Info, RotateCcw, StepForward } from 'lucide-react';
import { live, useStalled } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { useUser } from '../../auth/index.ts';
import { retryReply } from '../api.ts';
import { tellSendError } from '../composer/send-errors.ts';

const WORDS: Partial<Record<ReplyStatus, string>> = {
  failed: 'This reply could not be written.',
  interrupted: 'This reply was cut off.',
  stopped: 'You stopped this reply.',
};

interface NoticeProps {
  reply: Reply;
  status: ReplyStatus;
  error: ReplyError | undefined;
  /** Only the last reply of a conversation can be taken up again. */
  canRetry: boolean;
}

/** Says calmly that a reply is not whole, and offers the ways on. */
export function ReplyNotice({ reply, status, error, canRetry }: NoticeProps) {
  const { user } = useUser();
  const retry = useMutation({
    mutationFn: (mode: RetryReplyBody['mode']) => retryReply(reply.id, { mode }),
    onSuccess: (queued) => live.retried(queued),
    onError: (cause) => {
      if (user) tellSendError(cause, user, 'The reply could not be tried again. Please try again.');
    },
  });
  return (
    <div
      role="note"
      className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-sm border border-line px-4 py-2.5 text-sm"
    >
      <Info aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 flex-[1_1_14rem] text-muted">{error?.message ?? WORDS[status]}</p>
      {canRetry && (
        <div className="flex gap-2">
          {reply.content !== '' && (
            <Button size="sm" disabled={retry.isPending} onClick={() => retry.mutate('continue')}>
              <StepForward aria-hidden="true" className="size-4" />
              Continue
            </Button>
          )}
          <Button size="sm" disabled={retry.isPending} onClick={() => retry.mutate('again')}>
            <RotateCcw aria-hidden="true" className="size-4" />
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** After 180 s of polling without news: quiet, with a refresh. The reply itself is safe on the server. */
export function StillWorking({ replyId }: { replyId: string }) {
  const stalled = useStalled(replyId);
  if (!stalled) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3 text-sm text-muted">
      <p>Still working. The answer will be kept for you.</p>
      <Button size="sm" variant="ghost" onClick={() => live.refresh(replyId)}>
        <RotateCcw aria-hidden="true" className="size-4" />
        Refresh
      </Button>
    </div>
  );
}
