import { t } from 'virtual:texts/workspace';
import type { Workspace, WorkspaceRole } from '@stolas/backend/contract';

export const roleName = (role: WorkspaceRole): string => t(`role_${role}`);

/** Whether the user may change the members, while the workspace is open. */
export const isAdmin = ({ role }: Pick<Workspace, 'role'>): boolean =>
  role === 'owner' || role === 'admin';
