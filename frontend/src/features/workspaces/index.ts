import type { User } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { workspacesQuery } from './api.ts';

export { membersQuery, workspacesQuery } from './api.ts';

/** Whether the sidebar leads to /workspace: for members, and for those whose plan includes seats for others. */
export function useHasWorkspace({ subscriptionPlan, subscriptionStatus }: User): boolean {
  const isPro = subscriptionPlan === 'pro';
  const enabled = !isPro && subscriptionStatus !== 'guest';
  const { data } = useQuery({ ...workspacesQuery(), enabled });
  return isPro || (data?.length ?? 0) > 0;
}
