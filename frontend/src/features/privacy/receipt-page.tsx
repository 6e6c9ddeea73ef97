import { t } from 'virtual:texts/deletion';
import type { DeletionReceipt } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { apiGet, isGone } from '../../lib/api.ts';
import { copyText } from '../../lib/copy-text.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { formatDay, formatTime } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { PublicPage } from '../../ui/public-page.tsx';
import { FullScreenSpinner, Spinner } from '../../ui/spinner.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useCopied } from '../../ui/use-copied.ts';
import { StoreTable } from './store-table.tsx';

const READ_AGAIN_MS = 2_000;

/** /deleted/<id> (docs/product.md, 'Deleting an account'): the receipt, readable by everybody who knows its address. */
export function ReceiptPage({ id }: { id: string }) {
  usePageTitle(t('title'));
  const { data, error, refetch } = useQuery({
    queryKey: ['deletion', id],
    queryFn: ({ signal }) =>
      apiGet<DeletionReceipt>(`/api/deletions/${encodeURIComponent(id)}`, {
        signal,
        on401: 'throw',
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? READ_AGAIN_MS : false),
    retry: (count, failure) => count < 3 && !isGone(failure),
  });
  if (data) return <Receipt receipt={data} />;
  if (!error) return <FullScreenSpinner />;
  return (
    <main className="grid min-h-dvh place-content-center px-5">
      {isGone(error) ? (
        <EmptyState isHeading title={t('missing')} description={t('missingLine')}>
          <HomeButton />
        </EmptyState>
      ) : (
        <ErrorState title={t('unreadable')} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

function Receipt({ receipt }: { receipt: DeletionReceipt }) {
  const { state, stores, elsewhere, handedOver, finishedAt = '', expiresAt = '' } = receipt;
  const isDone = state === 'done';
  const isWaiting = stores.some(({ store, left }) => store === 'files' && left);
  const isEmpty = stores.every(({ left }) => left === 0);
  const line = isEmpty ? t('checking') : isWaiting ? t('waiting') : t('keep');
  return (
    <PublicPage title={t('title')} lead={isDone ? t('keep') : t('running')}>
      <output className="mt-6 grid gap-1">
        {isDone ? (
          <>
            <span className="font-medium">{t('done')}</span>
            <span className="text-sm text-muted">
              {t('doneAt', {
                date: formatDay(finishedAt),
                time: formatTime(finishedAt),
                until: formatDay(expiresAt),
              })}
            </span>
          </>
        ) : (
          <span className="flex items-center gap-2 text-sm text-muted">
            <Spinner className="size-4" />
            {line}
          </span>
        )}
      </output>
      <StoreTable stores={stores} />
      {handedOver && Object.values(handedOver).some((count) => count > 0) && (
        <p className="mt-4 text-sm text-muted">{t('handedOver', { ...handedOver })}</p>
      )}
      {elsewhere && elsewhere.kept + elsewhere.erased > 0 && (
        <p className="mt-4 text-sm text-muted">{t('elsewhere', { ...elsewhere })}</p>
      )}
      <div className="mt-8 flex flex-wrap gap-3">
        <CopyAddress />
        <HomeButton />
      </div>
    </PublicPage>
  );
}

function CopyAddress() {
  const [copied, onCopied] = useCopied();
  const copy = () => copyText(location.href).then(onCopied);
  return (
    <Button onClick={() => void copy().catch(() => undefined)}>
      <span aria-live="polite">{copied ? t('copied') : t('copy')}</span>
    </Button>
  );
}

const HomeButton = () => (
  <Button asChild variant="ghost">
    <Link href="/">{t('home')}</Link>
  </Button>
);
