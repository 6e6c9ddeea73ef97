import { t } from 'virtual:texts/personas';
import { FlaskConical } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { Subject } from './subjects.ts';

const TrialDialog = lazy(async () => ({
  default: (await import('./trial-dialog.tsx')).TrialDialog,
}));

interface TrialButtonProps {
  /** The subjects of the trial, in their state at the click. */
  subjects: readonly Subject[];
  disabled?: boolean;
}

/** Opens a trial; its code is loaded by the click. */
export function TrialButton({ subjects, disabled = false }: TrialButtonProps) {
  const [tried, setTried] = useState<readonly Subject[] | null>(null);
  return (
    <>
      <Button disabled={disabled} onClick={() => setTried(subjects)}>
        <FlaskConical aria-hidden="true" className="size-4" />
        {t('tryIt')}
      </Button>
      {tried && (
        <Suspense>
          <TrialDialog subjects={tried} onClose={() => setTried(null)} />
        </Suspense>
      )}
    </>
  );
}
