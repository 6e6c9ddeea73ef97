import { t } from 'virtual:texts/app';
import { X } from 'lucide-react';
import { reloadPage } from '../lib/location.ts';
import { Button } from './button.tsx';
import { toast } from './toast-store.ts';

/** Offers to reload, in a notice that stays until it is used or closed. Drafts are stored as they are written. */
export const offerReload = (): void =>
  void toast({ title: t('newVersion'), action: { label: t('reload'), onSelect: reloadPage } });

/** Stands in the place of a part that cannot be shown. */
export const ReloadNote = ({ text }: { text: string }) => (
  <output className="block p-2 text-sm text-muted">
    {text} <ReloadLink />
  </output>
);

/** Stands in the place of a page. */
export const ReloadPage = ({ text }: { text: string }) => (
  <main className="grid min-h-dvh min-w-0 flex-1 place-items-center px-5 text-center">
    <output className="grid justify-items-center gap-3">
      <span className="font-medium">{text}</span>
      <Button variant="primary" onClick={reloadPage}>
        {t('reload')}
      </Button>
    </output>
  </main>
);

/** For a dialog or menu, which has no place in the page. */
export function FloatingNote({
  text,
  onClose,
}: {
  text: string;
  onClose: (() => void) | undefined;
}) {
  return (
    <output className="fixed inset-x-4 top-4 z-50 mx-auto flex w-fit items-center gap-2 rounded-full border border-line bg-raised px-4 py-1 text-sm shadow-float">
      <span>
        {text} <ReloadLink />
      </span>
      {onClose && (
        <button
          type="button"
          aria-label={t('closeNotice')}
          onClick={onClose}
          className="grid size-7 shrink-0 place-content-center rounded-full text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </output>
  );
}

const ReloadLink = () => (
  <button
    type="button"
    onClick={reloadPage}
    className="rounded-sm font-medium text-cool underline-offset-4 hover:underline"
  >
    {t('reload')}
  </button>
);
