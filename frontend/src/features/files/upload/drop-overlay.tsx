import { t } from 'virtual:texts/chips';
import { Upload } from 'lucide-react';

/** Says that files can be dropped. The page below receives the drop. */
export const DropOverlay = () => (
  <div
    data-drop-overlay
    className="pointer-events-none fixed inset-0 z-40 animate-fade bg-scrim p-4 md:p-6"
  >
    <div className="grid h-full place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-accent bg-raised/90 text-center">
      <Upload aria-hidden="true" className="size-8 text-gold" />
      <p className="text-lg font-semibold">{t('drop')}</p>
      <p className="text-sm text-muted">{t('dropNote')}</p>
    </div>
  </div>
);
