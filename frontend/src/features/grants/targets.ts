import type { RecordGrants, User, WorkspaceMember } from '@stolas/backend/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { membersQuery, workspacesQuery } from '../workspaces/index.ts';
import type { SharedRecord } from './record.ts';

/** A workspace, or a user, with whom a record can be shared. */
export interface Target {
  id: string;
  name: string;
  isWorkspace: boolean;
}

interface OfRecord {
  record: SharedRecord;
  grants: RecordGrants | undefined;
}

/** The user's workspaces and their members, without the owner of the record, and with whom it is shared besides. */
export function useTargets(user: User, { record, grants }: OfRecord) {
  const workspaces = useQuery(workspacesQuery());
  const members = useQueries({
    queries: (workspaces.data ?? []).map(({ id }) => membersQuery(id)),
  });
  const all = [workspaces, ...members];
  const isRead = all.every(({ data }) => data !== undefined);
  return {
    data: isRead
      ? targetsOf({
          workspaces: (workspaces.data ?? []).map(({ id, name }) => ({
            id,
            name,
            isWorkspace: true,
          })),
          members: members.flatMap(({ data = [] }) => data),
          shared: grants?.grants.map((grant) =>
            'userId' in grant
              ? { id: grant.userId, name: grant.name, isWorkspace: false }
              : { id: grant.workspaceId, name: grant.name, isWorkspace: true },
          ),
          ownerId: record.shared?.owner.id ?? user.id,
        })
      : undefined,
    isError: all.some(({ isError, data }) => isError && data === undefined),
    refetch: () => Promise.all(all.map(({ refetch }) => refetch())),
  };
}

function targetsOf({
  workspaces,
  members,
  shared = [],
  ownerId,
}: {
  workspaces: Target[];
  members: readonly WorkspaceMember[];
  shared: Target[] | undefined;
  ownerId: string;
}): Target[] {
  const users = members.map(({ userId, name }) => ({ id: userId, name, isWorkspace: false }));
  const byId = new Map([...shared, ...workspaces, ...users].map((target) => [target.id, target]));
  byId.delete(ownerId);
  return [...byId.values()].toSorted(
    (a, b) => Number(b.isWorkspace) - Number(a.isWorkspace) || a.name.localeCompare(b.name),
  );
}
