import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { t } from '../../i18n/usage.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { readLedger } from './api.ts';
import { tellFailure } from './ended-session.ts';

/** Saves the ledger. A plain link would not carry the bearer token, and would replace the page when it fails. */
export function DownloadButton() {
  const { mutate, isPending } = useMutation({
    mutationFn: readLedger,
    onSuccess: (csv) => {
      const day = new Date().toISOString().slice(0, 10);
      saveFile(csv, { name: `stolas-usage-${day}.csv`, type: 'text/csv' });
    },
    onError: tellFailure(t('notDownloaded')),
  });
  return (
    <Button className="justify-self-start" busy={isPending} onClick={() => mutate()}>
      {!isPending && <Download aria-hidden="true" className="size-4" />}
      {t('download')}
    </Button>
  );
}
