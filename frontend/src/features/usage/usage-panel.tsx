import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/usage';
import { chargedTokens, type Usage } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { about, formatNumber, messagesOf } from '../../lib/number.ts';
import { saveFile } from '../../lib/save-file.ts';
import { formatShortDay } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useAction, useEndedSession } from '../auth/index.ts';
import { readLedger, usageQuery } from './api.ts';
import { CapSettings } from './cap-settings.tsx';
import { KindList } from './kind-list.tsx';
import { UsageByDay } from './usage-by-day.tsx';
import { UsageSum } from './usage-sum.tsx';
import { WorkspaceList } from './workspace-list.tsx';

/** The user's usage, and their own cap (docs/product.md, 'Usage'). */
export function UsagePanel() {
  const { data: usage, error, refetch } = useQuery(usageQuery);
  const panel = useRef<HTMLDivElement>(null);
  const hasEnded = useEndedSession(error);
  useEffect(() => {
    if (window.location.hash === '#usage') panel.current?.closest('section')?.scrollIntoView();
  }, []);
  return (
    <div ref={panel} className="grid gap-8">
      {usage && <Content usage={usage} />}
      {!usage && !error && <Loading />}
      {!usage && error && !hasEnded && (
        <ErrorState
          title={t('notRead')}
          description={common('checkConnection')}
          onRetry={() => void refetch()}
        />
      )}
    </div>
  );
}

function Content({ usage }: { usage: Usage }) {
  const { limit, resetsAt, messages, tokensPerMessage } = usage;
  return (
    <>
      <div className="grid gap-4">
        {messages && <UsageSum {...messages} unit="messages" />}
        {limit === null ? (
          <p className="text-sm tabular-nums">
            {t('unlimited', { used: formatNumber(chargedTokens(usage)) })}
          </p>
        ) : limit > 0 ? (
          <>
            <UsageSum
              used={chargedTokens(usage)}
              limit={limit}
              unit="tokens"
              note={resetsAt && t('resets', { day: formatShortDay(resetsAt) })}
            />
            <p className="text-sm">
              {t('leftInMessages', {
                count: Math.min(
                  messagesOf(limit - chargedTokens(usage), tokensPerMessage),
                  messages ? messages.limit - messages.used : Number.POSITIVE_INFINITY,
                ),
                tokens: formatNumber(about(tokensPerMessage)),
              })}
            </p>
          </>
        ) : (
          <p className="text-sm">{t('noPlan')}</p>
        )}
      </div>
      {limit !== 0 && <UsageByDay usage={usage} />}
      <KindList kinds={usage.kinds} />
      <WorkspaceList workspaces={usage.workspaces} />
      {limit !== 0 && !messages && <CapSettings usage={usage} />}
      <DownloadButton />
    </>
  );
}

const Loading = () => (
  <>
    <span className="sr-only">{t('reading')}</span>
    <div className="grid gap-3">
      <Skeleton className="w-48" />
      <Skeleton className="h-1.5 w-full" />
    </div>
    <Skeleton className="h-44 w-full" />
  </>
);

/** Saves the ledger. A plain link would not carry the bearer token, and would replace the page when it fails. */
function DownloadButton() {
  const { run, isPending } = useAction({
    run: readLedger,
    onDone: (csv) => {
      const day = new Date().toISOString().slice(0, 10);
      saveFile(csv, { name: `stolas-usage-${day}.csv`, type: 'text/csv' });
    },
    failed: t('notDownloaded'),
  });
  return (
    <Button className="justify-self-start" busy={isPending} onClick={run}>
      {!isPending && <Download aria-hidden="true" className="size-4" />}
      {t('download')}
    </Button>
  );
}
