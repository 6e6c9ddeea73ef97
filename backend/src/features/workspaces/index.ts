import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import { jsonEntry } from '../export-entry.ts';
import {
  createWorkspacesFeature,
  defineModels,
  invitationMailJob,
  type Others,
} from './feature.ts';
import { INVITATION_SECONDS } from './invitations.ts';
import { mailInvitation } from './mails.ts';
import { bindPools } from './pools.ts';
import { workspaceRoutes } from './routes.ts';
import { bindSharing } from './sharing.ts';
import { countSharedBy, exportWorkspaces, leaveAll, removeAllOf } from './whole.ts';
import { publishPlan } from './workspaces.ts';

export { nameOf, requireOpen, requireWorkspace } from './access.ts';
export type { WorkspacesFeature } from './feature.ts';
export { publishTo } from './workspaces.ts';

/** What other features ask of workspaces, as `others.workspaces`. */
export type WorkspacesService = ReturnType<typeof bindPools> & ReturnType<typeof bindSharing>;

/** Workspaces: their members, roles, seats and invitations. */
export const workspaces = defineFeature({
  name: 'workspaces',
  models: defineModels,
  owners: { workspaces: 'ownerId', memberships: 'userId', invitations: 'invitedBy' },
  shardKeys: { workspaces: null, memberships: null, invitations: null },
  retention: [{ kind: 'invitation', seconds: INVITATION_SECONDS }],
  socketEvents: ['workspace:changed'],
  create: (core, others: Others) => {
    const feature = createWorkspacesFeature(core, others);
    return {
      ...feature,
      ...bindPools(feature),
      ...bindSharing(feature),
      publishPlan: (ownerId: string) => publishPlan(feature, ownerId),
      countSharedBy: (userId: string) => countSharedBy(feature, userId),
      leaveAll: (...leaving: [userId: string, how: { handsOver: boolean }]) =>
        leaveAll(feature, ...leaving),
    };
  },
  routes: ({ service, rateLimit }) => workspaceRoutes(service, rateLimit),
  jobs: ({ service, mailer }) => [
    runJob(invitationMailJob, (job) => mailInvitation(service, mailer, job)),
  ],
  exportUser: ({ service }, userId) => [
    jsonEntry('workspaces.json', () => exportWorkspaces(service, userId)),
  ],
  eraseUser: ({ service }, userId) => removeAllOf(service, userId),
});
