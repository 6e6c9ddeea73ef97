import { t } from 'virtual:texts/viewer';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { rich } from '../../../i18n/rich.tsx';
import { pageQuery } from '../api.ts';

interface PageFieldProps {
  fileId: string;
  page: number;
  pages: number;
  onTurn: (page: number) => void;
}

/** 'Page 37 of 60 (printed 35)': another number goes there, by Enter or when the field is left. */
export function PageField({ fileId, page, pages, onTurn }: PageFieldProps) {
  // The view of the page has loaded it.
  const { data } = useQuery({ ...pageQuery(fileId, page), enabled: false });
  const [typed, setTyped] = useState(String(page));
  const [shown, setShown] = useState(page);
  if (shown !== page) {
    setShown(page);
    setTyped(String(page));
  }
  const reset = () => setTyped(String(page));
  const isChanged = typed !== String(page);
  const go = () => {
    const wanted = Math.min(Number(typed), pages);
    if (wanted < 1) return reset();
    setTyped(String(wanted));
    onTurn(wanted);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    go();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Escape' || !isChanged) return;
    // It would close the viewer.
    event.preventDefault();
    reset();
  };
  return (
    <form
      className="flex items-center gap-1.5 px-1 text-sm whitespace-nowrap text-muted tabular-nums"
      onSubmit={submit}
    >
      {rich(t('pageField', { pages }), {
        field: (
          <input
            aria-label={t('pageLabel')}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value.replace(/\D/g, '').slice(0, 7))}
            onFocus={({ target }) => target.select()}
            onKeyDown={onKeyDown}
            // The number pad of an iPhone has no return key. Another window may take the focus only for a while.
            onBlur={() => isChanged && document.hasFocus() && go()}
            className="h-8 w-12 rounded-sm border border-control bg-ground px-1 text-center text-sm text-ink pointer-coarse:h-11 pointer-coarse:text-base"
          />
        ),
      })}
      {data?.label !== undefined && <bdi>{t('printed', { label: data.label })}</bdi>}
    </form>
  );
}
