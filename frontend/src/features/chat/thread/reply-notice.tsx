import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { Person, Reply } from '@stolas/backend/contract';
import { Info, RotateCcw, StepForward } from 'lucide-react';
import type { ReactNode } from 'react';
import { rich } from '../../../i18n/rich.tsx';
import { fromServer } from '../../../i18n/translate.ts';
import { live, useStalled } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { useUserPart } from '../../auth/index.ts';
import { useMayWrite } from '../role.ts';
import { useIsBusy } from '../sending/busy.ts';
import type { ShownReply } from './live-reply.ts';
import { useContinue, useRegenerate } from './use-regenerate.ts';

function describe({ status, error, ending }: NoticeProps['shown'], stopper?: Person): ReactNode {
  if (status === 'stopped' && stopper)
    return rich(t('stoppedBy'), { name: <bdi>{stopper.name}</bdi> });
  if (error) return fromServer(error.message);
  if (ending) return t('lengthLimit');
  return status === 'failed' || status === 'interrupted' || status === 'stopped'
    ? t(status)
    : undefined;
}

interface NoticeProps {
  reply: Reply;
  shown: Pick<ShownReply, 'status' | 'error' | 'ending'>;
  /** Only the last reply of a conversation can be tried again or continued from here. */
  canRetry: boolean;
}

/** Says why a reply is incomplete, and offers Continue, and Try again where it did not end well. */
export function ReplyNotice({ reply, shown, canRetry }: NoticeProps) {
  const isBusy = useIsBusy(reply.conversationId);
  const mayWrite = useMayWrite(reply.conversationId);
  const userId = useUserPart(({ id }) => id);
  const stopper = reply.stoppedBy?.id === userId ? undefined : reply.stoppedBy;
  const { regenerate, isPending: isRegenerating } = useRegenerate(reply);
  const { continueIt, isPending: isContinuing } = useContinue(reply);
  const isDisabled = isBusy || isRegenerating || isContinuing;
  return (
    <div
      role="note"
      className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-sm border border-line px-4 py-2.5 text-sm"
    >
      <Info aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-[1_1_14rem] text-muted">
        <p>{describe(shown, stopper)}</p>
        {shown.error?.cause && (
          <p className="mt-1 break-words font-mono text-xs">{shown.error.cause}</p>
        )}
      </div>
      {canRetry && mayWrite && (
        <div className="flex gap-2">
          {reply.content !== '' && (
            <Button size="sm" disabled={isDisabled} onClick={continueIt}>
              <StepForward aria-hidden="true" className="size-4" />
              {t('continue')}
            </Button>
          )}
          {!shown.ending && (
            <Button size="sm" disabled={isDisabled} onClick={regenerate}>
              <RotateCcw aria-hidden="true" className="size-4" />
              {common('tryAgain')}
            </Button>
          )}
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
      <p>{t('stillWorking')}</p>
      <Button size="sm" variant="ghost" onClick={() => live.refresh(replyId)}>
        <RotateCcw aria-hidden="true" className="size-4" />
        {t('refresh')}
      </Button>
    </div>
  );
}
