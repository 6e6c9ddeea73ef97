import { t } from 'virtual:texts/app';
import { reloadPage } from '../lib/location.ts';
import { Button } from '../ui/button.tsx';
import { Eye } from '../ui/eye.tsx';

/** Replaces a screen that threw. */
export const BrokenScreen = () => (
  <main className="grid min-h-dvh place-items-center px-5 text-center">
    <div role="alert" className="grid justify-items-center gap-3">
      <Eye className="size-12 text-muted" />
      <h1 className="text-xl font-semibold">{t('broken')}</h1>
      <p className="max-w-sm text-muted">{t('brokenLine')}</p>
      <Button variant="primary" className="mt-3" onClick={reloadPage}>
        {t('reload')}
      </Button>
    </div>
  </main>
);
