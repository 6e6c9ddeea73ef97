import { t } from 'virtual:texts/memory';
import { useQuery } from '@tanstack/react-query';
import { formatRecent } from '../../lib/time.ts';
import { historyQuery } from './api.ts';

/** Every change of a memory, the first one first. */
export function MemoryHistory({ id }: { id: string }) {
  const { data, isError } = useQuery(historyQuery(id));
  if (isError) return <p role="alert">{t('readFailed')}</p>;
  return (
    <ol aria-label={t('history')} className="mt-2 grid gap-1 border-line border-s-2 ps-3 text-xs">
      {data?.map(({ id: eventId, op, after, at }) => (
        <li key={eventId} className="wrap-anywhere text-muted">
          {t(`op_${op}`)} · {formatRecent(at)} · <bdi className="text-ink">{after.text}</bdi>
        </li>
      ))}
    </ol>
  );
}
