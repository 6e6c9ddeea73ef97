import { t } from 'virtual:texts/personas';
import type { DroppedLine, FusionPreview } from '@stolas/backend/contract';
import { cn } from '../../../ui/cn.ts';
import { LETTERS } from './members.ts';

/** Colour and letter carry the same information, for users who cannot distinguish the colours. */
const COLOURS = ['border-accent', 'border-cool', 'border-success', 'border-danger'];

const REASONS: Record<DroppedLine['reason'], () => string> = {
  no_slot: () => t('reason_no_slot'),
  same_topic: () => t('reason_same_topic'),
  vetoed: () => t('reason_vetoed'),
  lower_weight: () => t('reason_lower_weight'),
};

interface ProvenanceProps {
  fusion: FusionPreview;
  /** In the order of the letters. */
  memberIds: readonly string[];
}

/** Every line of the fused prompt with its origin, and the lines that were left out. */
export function Provenance({ fusion, memberIds }: ProvenanceProps) {
  const lettersOf = (ids: readonly string[]) =>
    ids.map((id) => LETTERS[memberIds.indexOf(id)] ?? '').join(', ');
  return (
    <>
      <h2 className="text-sm font-medium">{t('origin')}</h2>
      <ol className="mt-3 grid gap-px font-mono text-sm">
        {fusion.provenance.map(({ line, from, over }, at) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- lines may be equal and have no ids
            key={at}
            className={cn(
              'grid grid-cols-[1fr_auto] gap-3 border-l-4 py-0.5 pl-3',
              from.length === 1
                ? COLOURS[memberIds.indexOf(from[0] ?? '')]
                : from.length > 1
                  ? 'border-control'
                  : 'border-transparent',
            )}
          >
            <span dir="auto" className="min-h-5 wrap-anywhere">
              {line}
            </span>
            {from.length > 0 && (
              <span className="font-sans text-muted">
                {t('fromAll', { letters: lettersOf(from) })}
                {over.length > 0 && ` (${t('wonOver', { letters: lettersOf(over) })})`}
              </span>
            )}
          </li>
        ))}
      </ol>
      <details className="mt-4 text-sm">
        <summary className="cursor-pointer">
          {t('dropped', { count: fusion.dropped.length })}
        </summary>
        {fusion.dropped.length === 0 ? (
          <p className="mt-2 text-muted">{t('noneDropped')}</p>
        ) : (
          <ul className="mt-2 grid gap-1">
            {fusion.dropped.map(({ line, from, reason }, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines may be equal and have no ids
              <li key={at} className="grid grid-cols-[1fr_auto] gap-3">
                <bdi className="wrap-anywhere">{line}</bdi>
                <span className="text-muted">
                  {lettersOf([from])}: {REASONS[reason]()}
                </span>
              </li>
            ))}
          </ul>
        )}
      </details>
    </>
  );
}
