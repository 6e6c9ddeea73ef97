import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import type { Reply } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { fromServer } from '../../../i18n/translate.ts';
import { userMessageOf } from '../../../lib/api.ts';
import {
  contentOf,
  isActive,
  live,
  subscribeReply,
  viewFrom,
  viewOf,
} from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useAction } from '../../auth/index.ts';
import { stopTrial, type TrialSend, trialMessagesQuery } from './api.ts';
import { trialQuery } from './run.ts';

/** One reply of a trial. */
export function Column({ name, send }: { name: string; send: TrialSend }) {
  const sent = useQuery(trialQuery(send));
  return (
    <section aria-label={name} className="min-w-0 rounded-lg border border-line bg-ground p-4">
      <h3 className="text-sm font-medium wrap-anywhere">
        <bdi>{name}</bdi>
      </h3>
      <div className="mt-3">
        {sent.data && <Sent conversationId={sent.data.id} />}
        {sent.isPending && <Skeleton className="h-16" />}
        {sent.isError && !sent.isFetching && (
          <Failure
            message={userMessageOf(sent.error, common('checkConnection'))}
            onRetry={() => void sent.refetch()}
          />
        )}
      </div>
    </section>
  );
}

function Sent({ conversationId }: { conversationId: string }) {
  useEffect(() => live.show(conversationId), [conversationId]);
  const { data, isError, refetch } = useQuery(trialMessagesQuery(conversationId));
  const reply = data?.findLast((message) => message.role === 'assistant');
  if (reply) return <ReplyText key={reply.id} reply={reply} />;
  if (isError)
    return <Failure message={common('checkConnection')} onRetry={() => void refetch()} />;
  return <Skeleton className="h-16" />;
}

function ReplyText({ reply }: { reply: Reply }) {
  const shown = useView(reply);
  const { run, isPending } = useAction({
    run: () => stopTrial(reply.id),
    failed: t('notStopped'),
  });
  const isRunning = isActive(shown.status);
  const text = contentOf(shown.parts);
  return (
    <div data-status={shown.status} aria-busy={isRunning}>
      {text === '' && isRunning && <Skeleton className="h-16" />}
      <div dir="auto">
        <Markdown text={text} streaming={isRunning} />
      </div>
      {shown.error && <p className="mt-2 text-sm text-danger">{fromServer(shown.error.message)}</p>}
      {shown.status === 'stopped' && <p className="mt-2 text-sm text-muted">{t('stopped')}</p>}
      {shown.ending && <p className="mt-2 text-sm text-muted">{t('lengthLimit')}</p>}
      {isRunning && (
        <Button size="sm" className="mt-3" busy={isPending} onClick={run}>
          {t('stop')}
        </Button>
      )}
    </div>
  );
}

const Failure = ({ message, onRetry }: { message: string; onRetry: () => void }) => (
  <div role="alert">
    <p className="text-sm text-danger">{message}</p>
    <Button size="sm" className="mt-3" onClick={onRetry}>
      {common('tryAgain')}
    </Button>
  </div>
);

/** The reply as it grows. */
function useView(reply: Reply) {
  const watch = useEffectEvent(() => live.watch(reply));
  const isRunning = isActive(reply.status);
  useEffect(() => (isRunning ? watch() : undefined), [isRunning]);
  const view = useSyncExternalStore(
    (listener) => subscribeReply(reply.id, listener),
    () => viewOf(reply.id),
  );
  return view ?? viewFrom(reply);
}
