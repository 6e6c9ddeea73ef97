import { t } from 'virtual:texts/workspace';
import type { Workspace } from '@stolas/backend/contract';
import { setDomains, useAct } from './api.ts';

/** Whether others with an address in the owner's domain may join, for admins. */
export function JoinSection({
  id,
  closed,
  join: { domain, isOn },
}: Pick<Workspace, 'id' | 'closed'> & Required<Pick<Workspace, 'join'>>) {
  const { mutate, isPending } = useAct((on: boolean) => setDomains(id, on ? [domain] : []));
  return (
    <label className="mt-4 flex min-h-8 items-center gap-2.5 text-sm pointer-coarse:min-h-11">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={isOn}
        disabled={isPending || (closed !== null && !isOn)}
        onChange={({ target }) => mutate(target.checked)}
      />
      {t('joinByDomain', { domain })}
    </label>
  );
}
