import { t } from 'virtual:texts/viewer';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { rich } from '../../../i18n/rich.tsx';
import { pageQuery } from '../api.ts';

interface PageFieldProps {
  fileId: string;
  page: number;
  pages: number;
  onTurn: (page: number) => void;
}

/** 'Page 37 of 60 (printed 35)': another number and Enter go there. */
export function PageField({ fileId, page, pages, onTurn }: PageFieldProps) {
  // The view of the page has loaded it.
  const { data } = useQuery({ ...pageQuery(fileId, page), enabled: false });
  const [typed, setTyped] = useState(String(page));
  const [shown, setShown] = useState(page);
  if (shown !== page) {
    setShown(page);
    setTyped(String(page));
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = Math.trunc(Number(typed));
    if (wanted >= 1) onTurn(Math.min(wanted, pages));
    setTyped(String(wanted >= 1 ? Math.min(wanted, pages) : page));
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
            onBlur={() => setTyped(String(page))}
            className="h-8 w-12 rounded-sm border border-control bg-ground px-1 text-center text-sm text-ink pointer-coarse:h-11 pointer-coarse:text-base"
          />
        ),
      })}
      {data?.label !== undefined && <bdi>{t('printed', { label: data.label })}</bdi>}
    </form>
  );
}
