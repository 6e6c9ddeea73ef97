import type { User, Workspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../lib/query-client.ts';
import { workspacesQuery } from './api.ts';

export { membersQuery, readAgain, useAct, workspacesQuery } from './api.ts';

/** Whether the sidebar leads to /workspace: for members, and for those whose plan includes seats for others. */
export function useHasWorkspace({ subscriptionPlan, subscriptionStatus }: User): boolean {
  const isPro = subscriptionPlan === 'pro';
  const enabled = !isPro && subscriptionStatus !== 'guest';
  const { data } = useQuery({ ...workspacesQuery(), enabled });
  return isPro || (data?.length ?? 0) > 0;
}

const paysFor = ({ role }: Workspace): boolean => role !== 'viewer';

/** The workspaces that pay for conversations of the user; undefined until they are read. */
export function usePools({ subscriptionStatus }: User): Workspace[] | undefined {
  const { data } = useQuery({ ...workspacesQuery(), enabled: subscriptionStatus !== 'guest' });
  return data?.filter(paysFor);
}

/** As `usePools`, as far as they are read. */
export const knownPools = (): Workspace[] =>
  queryClient.getQueryData(workspacesQuery().queryKey)?.filter(paysFor) ?? [];
