import * as z from 'zod';
import { type Config, publicUrl } from '../../config.ts';
import type { OwnedConversations } from '../../contract/workspaces.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { AccountsService } from '../accounts/index.ts';
import type { BillingService } from '../billing/index.ts';
import type { Core } from '../define-feature.ts';
import type { HandingOver, RecordsOf } from '../record-grants-model.ts';
import type { UsageService } from '../usage/index.ts';
import {
  createInvitationStore,
  defineInvitationModel,
  newInvitationId,
} from './invitation-model.ts';
import { createMembershipStore, defineMembershipModel } from './membership-model.ts';
import { createWorkspaceStore, defineWorkspaceModel, newWorkspaceId } from './workspace-model.ts';

/** What workspaces need of other features. */
export interface Others {
  accounts: Pick<AccountsService, 'users' | 'mailQuota' | 'publishUsage'>;
  billing: Pick<BillingService, 'entitlementsOf'>;
  usage: Pick<UsageService, 'readPool'>;
  personas: HandsOver;
  files: HandsOver;
  chat: EndsGrants & {
    /** How many conversations of a user are shared with a workspace, and how many are not. */
    countOwned: (userId: string, workspaceId: string) => Promise<OwnedConversations>;
    /** The conversations that `from` shares with a workspace are another user's from now on; it can be repeated. */
    beginHandover: (given: HandingOver) => Promise<void>;
    /** What is passing to `from` in the workspace, and is not theirs yet, passes to `to`. */
    redirectHandovers: (given: HandingOver) => Promise<void>;
    /** What users may read or change has changed with their workspaces. */
    publishAccess: (userIds: readonly string[]) => void;
    /** Users may have lost access by a change of their workspaces. */
    publishLostAccess: (userIds: readonly string[]) => void;
  };
}

/** A feature whose records can be shared. */
interface EndsGrants {
  /** Ends the grants to a user or a workspace. */
  endGrants: (to: { userId: string } | { workspaceId: string }, on?: RecordsOf) => Promise<void>;
}

/** A feature whose shared records get another owner in one call. */
interface HandsOver extends EndsGrants {
  /** How many records a user shares with a workspace. */
  countShared: (userId: string, workspaceId: string) => Promise<number>;
  /** They are another user's from now on; it can be repeated. */
  handOver: (given: HandingOver) => Promise<void>;
}

export const defineModels = (connection: Core['connection']) => ({
  workspaces: defineWorkspaceModel(connection),
  memberships: defineMembershipModel(connection),
  invitations: defineInvitationModel(connection),
});

/** Mails an invitation. Its secret is made when the job runs, so that the queue contains none. */
export const invitationMailJob = defineJob({
  name: 'invitation-mails',
  schema: z.object({ userId: z.string(), invitationId: z.string() }),
  userOf: ({ userId }) => userId,
  // Ten attempts within about three quarters of an hour: a mail server may restart.
  retry: { attempts: 10, firstMs: 5_000 },
});
export type InvitationMail = z.infer<typeof invitationMailJob.schema>;

interface Needs extends Pick<Core, 'bus' | 'produce' | 'now'> {
  models: ReturnType<typeof defineModels>;
  config: Pick<Config, 'SEATS_PRO' | 'PUBLIC_URL' | 'PORT'>;
}

/** The object of this feature. A workspace of which the actor is no member answers 404 in all functions. */
export type WorkspacesFeature = ReturnType<typeof createWorkspacesFeature>;

export const createWorkspacesFeature = (
  { models, config, bus, produce, now }: Needs,
  others: Others,
) => ({
  workspaces: createWorkspaceStore(models.workspaces),
  memberships: createMembershipStore(models.memberships),
  invitations: createInvitationStore(models.invitations),
  mails: produce(invitationMailJob),
  seatsPro: config.SEATS_PRO,
  baseUrl: publicUrl(config),
  others,
  now,
  newWorkspaceId,
  newInvitationId,
  /** Events are not awaited: a tab that misses one catches up. The account says whether a workspace pays. */
  publishChange: (userIds: readonly string[]) => {
    for (const userId of userIds) {
      void bus.publish(userId, 'workspace:changed', undefined);
      others.accounts.publishUsage(userId);
    }
  },
});
