import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { locale } from '../../i18n/language.ts';
import { formatNumber, formatPercent } from '../../lib/number.ts';
import { usageKindName } from '../../lib/usage-kinds.ts';
import { Subheading } from './subheading.tsx';

/** The purposes of the used tokens. */
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

/** Background work costs tokens too. */
function describeBackground(kinds: Usage['kinds'], total: number): string {
  const others = kinds.filter(({ kind }) => kind !== 'reply');
  if (others.length === 0) return t('noBackground');
  const tokens = others.reduce((sum, one) => sum + one.tokens, 0);
  const percent = Math.max(1, percentIn(tokens, total));
  return t('background', {
    replies: formatPercent(100 - percent),
    percent: formatPercent(percent),
    kinds: new Intl.ListFormat(locale()).format(others.map(({ kind }) => usageKindName(kind))),
  });
}

/** In whole percent; 100 only when nothing else took any. */
const percentIn = (tokens: number, total: number): number =>
  tokens === total ? 100 : Math.min(99, Math.round((tokens * 100) / total));

function shareOf(tokens: number, total: number): string {
  const percent = percentIn(tokens, total);
  return percent === 0 ? `<${formatPercent(1)}` : formatPercent(percent);
}
