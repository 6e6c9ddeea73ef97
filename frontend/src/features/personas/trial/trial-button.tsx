import { t } from 'virtual:texts/personas';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import type { Subject } from './subjects.ts';

const TrialDialog = lazyPart(async () => (await import('./trial-dialog.tsx')).TrialDialog, {
  missing: 'floating',
});

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
      {tried && <TrialDialog subjects={tried} onClose={() => setTried(null)} />}
    </>
  );
}
