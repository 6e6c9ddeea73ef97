import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { formatNumber, formatPercent, percentOf } from '../../lib/number.ts';
import { usageKindName } from '../../lib/usage-kinds.ts';
import { Subheading } from './subheading.tsx';

/** What the tokens were used for. */
export function KindList({ kinds }: Pick<Usage, 'kinds'>) {
  const total = kinds.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total === 0) return null;
  return (
    <div>
      <Subheading>{t('byKind')}</Subheading>
      <dl className="mt-3 grid gap-2 text-sm">
        {kinds.map(({ kind, tokens }) => (
          <div key={kind} className="flex items-baseline justify-between gap-4">
            <dt>{usageKindName(kind)}</dt>
            <dd className="text-muted tabular-nums">
              {t('tokens', { tokens: formatNumber(tokens) })}
              <span className="inline-block w-14 text-end">{shareOf(tokens, total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function shareOf(tokens: number, total: number): string {
  const percent = percentOf({ used: tokens, limit: total });
  return percent === 0 ? `<${formatPercent(1)}` : formatPercent(percent);
}
