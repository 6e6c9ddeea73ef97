import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/dataExport';
import type {
  DataExport,
  DataExportAddress,
  DataExportResult,
  ProofBody,
  User,
} from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { rich } from '../../i18n/rich.tsx';
import { apiPost } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { formatDay } from '../../lib/time.ts';
import { exportKey, getNumbered } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { TextLink } from '../../ui/public-page.tsx';
import { useAction } from '../auth/index.ts';
import { formatSize } from '../files/index.ts';
import { ProofForm } from './reauthentication.tsx';
import { Section } from './section.tsx';

const PATH = '/api/account/export';
/** The event that ends an export may be lost. */
const READ_AGAIN_MS = 5_000;

const asLink = (text: string) => <TextLink href="/privacy">{text}</TextLink>;

const isUnderway = (made: DataExport | null | undefined): boolean =>
  made?.state === 'queued' || made?.state === 'running';

const makeExport = (proof: ProofBody) => apiPost<DataExportResult>(PATH, proof);
const readAddress = (proof: ProofBody) => apiPost<DataExportAddress>(`${PATH}/address`, proof);
const show = (answer: DataExportResult) => queryClient.setQueryData(exportKey, answer);
const download = ({ url }: DataExportAddress) => location.assign(url);

/** The export of all data of the user, as one file. */
export function DataExportSection({ user }: { user: User }) {
  const { data, isError } = useQuery({
    queryKey: exportKey,
    queryFn: (read) => getNumbered<DataExportResult>(PATH, read),
    refetchInterval: ({ state }) => (isUnderway(state.data?.export) ? READ_AGAIN_MS : false),
  });
  const [asked, setAsked] = useState<'make' | 'download' | null>(null);
  const start = useAction({ run: () => makeExport({}), onDone: show, failed: t('notMade') });
  const save = useAction({
    run: () => readAddress({}),
    onDone: download,
    failed: t('notDownloaded'),
  });
  // Guests have no credentials to prove their identity.
  const isGuest = user.subscriptionStatus === 'guest';
  const made = data?.export;
  const isReady = made?.state === 'ready';
  return (
    <Section title={t('title')} description={t('description')}>
      <div className="flex flex-wrap gap-3">
        {isReady && (
          <Button busy={save.isPending} onClick={isGuest ? save.run : () => setAsked('download')}>
            {!save.isPending && <Download aria-hidden="true" className="size-4" />}
            {common('download')}
          </Button>
        )}
        <Button
          variant={isReady ? 'ghost' : 'secondary'}
          busy={start.isPending || isUnderway(made)}
          onClick={isGuest ? start.run : () => setAsked('make')}
        >
          {isReady ? t('again') : t('start')}
        </Button>
      </div>
      <p className="text-sm text-muted">{rich(t('privacy'), { link: asLink })}</p>
      <div aria-live="polite" className="text-sm text-muted">
        {made && <State made={made} />}
        {isError && <p className="text-danger">{t('unreadable')}</p>}
      </div>
      <Dialog open={asked !== null} onOpenChange={() => setAsked(null)}>
        <DialogContent title={t('ask')} description={t('askLine')}>
          {asked === 'download' ? (
            <ProofForm
              user={user}
              send={readAddress}
              onDone={(address) => {
                setAsked(null);
                download(address);
              }}
              failed={t('notDownloaded')}
              action={common('download')}
            />
          ) : (
            <ProofForm
              user={user}
              send={makeExport}
              onDone={(answer) => {
                setAsked(null);
                show(answer);
              }}
              failed={t('notMade')}
              action={t('start')}
            />
          )}
        </DialogContent>
      </Dialog>
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
