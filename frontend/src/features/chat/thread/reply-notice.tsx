import type { Reply, ReplyError, ReplyStatus } from '@stolas/backend/contract';
import { Info, RotateCcw, StepForward } from 'lucide-react';
import { live, useStalled } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { useIsBusy } from './use-busy.ts';
import { useContinue, useRegenerate } from './use-regenerate.ts';

const DEFAULT_MESSAGES: Partial<Record<ReplyStatus, string>> = {
  failed: 'This reply could not be written.',
  interrupted: 'This reply was cut off.',
  stopped: 'You stopped this reply.',
};

interface NoticeProps {
  reply: Reply;
  status: ReplyStatus;
  error: ReplyError | undefined;
  /** Only the last reply of a conversation can be tried again or continued from here. */
  canRetry: boolean;
}

/** Says why a reply is incomplete, and offers Continue and Try again. */
export function ReplyNotice({ reply, status, error, canRetry }: NoticeProps) {
  const isBusy = useIsBusy(reply.conversationId);
  const { regenerate, isPending: isRegenerating } = useRegenerate(reply);
  const { continueIt, isPending: isContinuing } = useContinue(reply);
  const isDisabled = isBusy || isRegenerating || isContinuing;
  return (
    <div
      role="note"
      className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-sm border border-line px-4 py-2.5 text-sm"
    >
      <Info aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 flex-[1_1_14rem] text-muted">
        {error?.message ?? DEFAULT_MESSAGES[status]}
      </p>
      {canRetry && (
        <div className="flex gap-2">
          {reply.content !== '' && (
            <Button size="sm" disabled={isDisabled} onClick={continueIt}>
              <StepForward aria-hidden="true" className="size-4" />
              Continue
            </Button>
          )}
          <Button size="sm" disabled={isDisabled} onClick={regenerate}>
            <RotateCcw aria-hidden="true" className="size-4" />
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** After 180 s of polling without news, offers a refresh. The reply itself is stored on the server. */
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
