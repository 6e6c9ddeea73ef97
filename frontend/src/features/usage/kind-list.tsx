import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { locale } from '../../i18n/language.ts';
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
      <p className="mt-2 text-sm">{describeBackground(kinds, total)}</p>
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

/** What users do not see being done costs them too. */
function describeBackground(kinds: Usage['kinds'], total: number): string {
  const others = kinds.filter(({ kind }) => kind !== 'reply');
  if (others.length === 0) return t('noBackground');
  const tokens = others.reduce((sum, one) => sum + one.tokens, 0);
  const percent = Math.max(1, Math.round((tokens * 100) / total));
  return t('background', {
    replies: formatPercent(100 - percent),
    percent: formatPercent(percent),
    kinds: new Intl.ListFormat(locale()).format(others.map(({ kind }) => usageKindName(kind))),
  });
}

function shareOf(tokens: number, total: number): string {
  const percent = percentOf({ used: tokens, limit: total });
  return percent === 0 ? `<${formatPercent(1)}` : formatPercent(percent);
}
