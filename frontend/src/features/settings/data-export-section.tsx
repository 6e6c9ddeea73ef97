import type { DataExport, DataExportAddress, DataExportResult } from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { t } from '../../i18n/data-export.ts';
import { rich } from '../../i18n/rich.tsx';
import { fromServer } from '../../i18n/translate.ts';
import { apiGet, apiPost, userMessageOf } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { formatDay } from '../../lib/time.ts';
import { exportKey } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { TextLink } from '../../ui/public-page.tsx';
import { formatSize } from '../files/index.ts';
import { Section } from './section.tsx';

const PATH = '/api/account/export';
/** The event that ends an export may be lost. */
const READ_AGAIN_MS = 5_000;

const asLink = (text: string) => <TextLink href="/privacy">{text}</TextLink>;

const isUnderway = (made: DataExport | null | undefined): boolean =>
  made?.state === 'queued' || made?.state === 'running';

/** Everything that is kept of the user, as one file. */
export function DataExportSection() {
  const { data, isError } = useQuery({
    queryKey: exportKey,
    queryFn: ({ signal }) => apiGet<DataExportResult>(PATH, { signal, on401: 'throw' }),
    refetchInterval: ({ state }) => (isUnderway(state.data?.export) ? READ_AGAIN_MS : false),
  });
  const start = useMutation({
    mutationFn: () => apiPost<DataExportResult>(PATH),
    onSuccess: (answer) => queryClient.setQueryData(exportKey, answer),
  });
  const save = useMutation({
    mutationFn: () => apiGet<DataExportAddress>(`${PATH}/address`, { on401: 'throw' }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const made = data?.export;
  const isReady = made?.state === 'ready';
  const error = start.error ?? save.error;
  return (
    <Section title={t('title')} description={t('description')}>
      <div className="flex flex-wrap gap-3">
        {isReady && (
          <Button busy={save.isPending} onClick={() => save.mutate()}>
            {!save.isPending && <Download aria-hidden="true" className="size-4" />}
            {t('download')}
          </Button>
        )}
        <Button
          variant={isReady ? 'ghost' : 'secondary'}
          busy={start.isPending || isUnderway(made)}
          onClick={() => start.mutate()}
        >
          {isReady ? t('again') : t('start')}
        </Button>
      </div>
      <p className="text-sm text-muted">{rich(t('privacy'), { link: asLink })}</p>
      <div aria-live="polite" className="text-sm text-muted">
        {made && <State made={made} />}
        {(isError || error) && (
          <p className="text-danger">
            {error ? fromServer(userMessageOf(error, t('unreadable'))) : t('unreadable')}
          </p>
        )}
      </div>
    </Section>
  );
}

function State({ made }: { made: DataExport }) {
  const { state, progress, size = 0, expiresAt } = made;
  if (state === 'failed') return <p className="text-danger">{t('failed')}</p>;
  if (state === 'ready')
    return <p>{t('ready', { size: formatSize(size), date: formatDay(expiresAt ?? '') })}</p>;
  if (progress.total === 0) return <p>{t('counting')}</p>;
  return (
    <div className="grid gap-1.5">
      <progress
        aria-label={t('title')}
        max={progress.total}
        value={progress.done}
        className="w-full max-w-sm accent-accent"
      />
      <p>{t('progress', progress)}</p>
    </div>
  );
}
