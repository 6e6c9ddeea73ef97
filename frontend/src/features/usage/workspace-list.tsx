import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { formatNumber } from '../../lib/number.ts';
import { formatShortDay } from '../../lib/time.ts';
import { Subheading } from './subheading.tsx';

/** What workspaces have paid for the user. */
export function WorkspaceList({ workspaces }: Pick<Usage, 'workspaces'>) {
  if (workspaces.length === 0) return null;
  return (
    <div>
      <Subheading>{t('byWorkspace')}</Subheading>
      <dl className="mt-3 grid gap-2 text-sm">
        {workspaces.map(({ workspaceId, name, tokens, cap, resetsAt }) => (
          <div key={workspaceId} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <dt className="wrap-anywhere">
              <bdi>{name}</bdi>
            </dt>
            <dd className="text-muted tabular-nums">
              {cap === null
                ? t('tokens', { tokens: formatNumber(tokens) })
                : t('tokensOfCap', { tokens: formatNumber(tokens), cap: formatNumber(cap) })}
              {resetsAt && ` · ${t('resets', { day: formatShortDay(resetsAt) })}`}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
