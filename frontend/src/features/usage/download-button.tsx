import { t } from 'virtual:texts/usage';
import { Download } from 'lucide-react';
import { saveFile } from '../../lib/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../auth/index.ts';
import { readLedger } from './api.ts';

/** Saves the ledger. A plain link would not carry the bearer token, and would replace the page when it fails. */
export function DownloadButton() {
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
