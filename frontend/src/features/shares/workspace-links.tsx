import { t } from 'virtual:texts/shares';
import type { Workspace, WorkspaceShare } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useAct } from '../workspaces/index.ts';
import { allowLinks, revokeInWorkspace, workspaceSharesQuery } from './api.ts';
import { MadeLink } from './made-link.tsx';

/** On the page of a workspace, for its admins: the links for its members, and whether there may be any. */
export function WorkspaceLinks({
  workspace: { id, allowLinks: allowed },
}: {
  workspace: Workspace;
}) {
  const { data, isError, refetch } = useQuery(workspaceSharesQuery(id));
  const { mutate, isPending } = useAct((on: boolean) => allowLinks(id, on));
  return (
    <div className="mt-2 grid gap-4">
      <Checkbox label={t('allow')} checked={allowed} disabled={isPending} onChange={mutate} />
      {isError && !data && <ErrorState title={t('notRead')} onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="h-8" />}
      {data?.length === 0 && <p className="text-sm text-muted">{t('noneHere')}</p>}
      {data && data.length > 0 && (
        <ul className="grid divide-y divide-line">
          {data.map((share) => (
            <Row key={share.id} workspaceId={id} share={share} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ workspaceId, share }: { workspaceId: string; share: WorkspaceShare }) {
  const { mutate, isPending } = useAct(() => revokeInWorkspace(workspaceId, share.id));
  return <MadeLink share={share} isEnding={isPending} onEnd={() => mutate(undefined)} />;
}
