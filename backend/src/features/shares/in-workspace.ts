import type { Actor } from '../../access/index.ts';
import type { WorkspaceShare } from '../../contract/shares.ts';
import { notFound } from '../../errors.ts';
import { publishTo, requireWorkspace } from '../workspaces/index.ts';
import type { SharesFeature } from './feature.ts';
import { withMakers } from './manage.ts';

// What the admins of a workspace do with the links for its members. Others than the members never open these, so admins read nothing new.

/**
 * The links for the members of a workspace that work, newest first.
 * @throws AppError not_found, forbidden
 */
export async function listWorkspaceShares(
  feature: SharesFeature,
  actor: Pick<Actor, 'userId'>,
  workspaceId: string,
): Promise<WorkspaceShare[]> {
  const { shares, others, now } = feature;
  await requireWorkspace(others.workspaces, actor, workspaceId, 'admin');
  return withMakers(feature, await shares.ofWorkspace(workspaceId, now()));
}

/**
 * Ends a link for the members of a workspace, whoever made it.
 * @throws AppError not_found, forbidden
 */
export async function revokeInWorkspace(
  { shares, others, now }: SharesFeature,
  actor: Pick<Actor, 'userId'>,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await requireWorkspace(others.workspaces, actor, workspaceId, 'admin');
  if (!(await shares.endInWorkspace({ id, workspaceId }, now()))) throw notFound('link');
}

/**
 * Allows or forbids links for the members of a workspace. While they are forbidden, none opens.
 * @throws AppError not_found, forbidden
 */
export async function allowLinks(
  { others: { workspaces } }: SharesFeature,
  actor: Pick<Actor, 'userId'>,
  { workspaceId, allowed }: { workspaceId: string; allowed: boolean },
): Promise<void> {
  await requireWorkspace(workspaces, actor, workspaceId, 'admin');
  await workspaces.workspaces.setAllowLinks(workspaceId, allowed);
  await publishTo(workspaces, workspaceId);
}
