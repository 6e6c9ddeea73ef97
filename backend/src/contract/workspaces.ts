import * as z from 'zod';
import { Id, namesChange } from './id.ts';
import { MAX_WORKSPACE_NAME_LENGTH } from './limits.ts';
import { GIVEN_ROLES, type GivenRole, type WorkspaceRole } from './roles.ts';

/** Why a workspace is read-only: its owner has no plan, or a plan with fewer seats than it has members. */
export type WorkspaceClosed = 'plan' | 'seats';

/** One of GET /api/workspaces, which answers with those of the user, by name. */
export interface Workspace {
  id: string;
  name: string;
  /** Of the user. */
  role: WorkspaceRole;
  seats: {
    /** By the owner's plan, the owner's own included. */
    included: number;
    /** By members and open invitations. */
    taken: number;
  };
  owner: { id: string; name: string };
  /** Null: it is open. */
  closed: WorkspaceClosed | null;
  /** The admin to whom the owner has offered the ownership. */
  transferTo: string | null;
  /** The tokens of the owner's plan, which pay for the conversations of the workspace. */
  pool: {
    /** Whether they are used up, or the user's cap of them; null: some are left. */
    usedUp: 'pool' | 'cap' | null;
    /** When they start again, ISO 8601; null: never. */
    resetsAt: string | null;
  };
  /** Whether its members may make public links for one another. */
  allowLinks: boolean;
  /** For admins, when the owner has a verified address of a domain of their own: whether others with such an address may join. */
  join?: { domain: string; isOn: boolean };
}

/** One of GET /api/workspaces/joinable: POST /api/workspaces/:id/join makes the user a member, as an accepted invitation does. */
export interface JoinableWorkspace {
  id: string;
  name: string;
  /** No seat is free. */
  full: boolean;
}

/** PUT /api/workspaces/:id/domains replaces them; each compares as a whole, without wildcards. */
export const DomainsBody = z.strictObject({
  domains: z.array(z.string().trim().min(1).max(253)).max(5),
});
export type DomainsBody = z.infer<typeof DomainsBody>;

/** One of GET /api/workspaces/:id/members, which answers with all of them, the owner first. */
export interface WorkspaceMember {
  userId: string;
  /** The email address when the user has entered no name. */
  name: string;
  email: string | null;
  role: WorkspaceRole;
  /** ISO 8601. */
  joinedAt: string;
  /** Of the workspace's tokens; absent for members who are no admins, except of themselves. */
  usage?: MemberUsage;
}

export interface MemberUsage {
  /** Charged tokens of the current usage period. */
  tokens: number;
  /** The day (UTC) of the last use, `2026-11-22`; null: never. */
  lastUsedOn: string | null;
  /** The most tokens for a usage period; null: no cap. */
  cap: number | null;
}

/** The conversations of a user, by whether they are shared with a workspace. */
export interface OwnedConversations {
  shared: number;
  others: number;
}

/** GET /api/workspaces/:id/members/:userId/leaving: what becomes of what a member who leaves has shared. */
export interface Leaving {
  /** The conversations that stay in the workspace and go to its owner or to another member. */
  shared: number;
  /** The personas and the files that do. */
  personas: number;
  files: number;
  /** The conversations that stay with the member; only for the member. */
  others?: number;
}

/** DELETE /api/workspaces/:id/members/:userId: who gets what the member shared; absent: the owner. */
export const LeaveQuery = z.strictObject({ heirId: Id.optional() });
export type LeaveQuery = z.infer<typeof LeaveQuery>;

/** One of GET /api/workspaces/:id/invitations: the open ones, latest first. Their secrets are only in the mails. */
export interface Invitation {
  id: string;
  email: string;
  role: GivenRole;
  /** ISO 8601. */
  createdAt: string;
  expiresAt: string;
}

/** POST /api/invitations/read: where a mailed link leads. */
export interface InvitationView {
  workspaceName: string;
  ownerName: string;
  role: GivenRole;
}

/** Answer of POST /api/invitations/accept. */
export interface AcceptedInvitation {
  workspaceId: string;
  /** The user was a member before, and keeps the role. */
  wasMember: boolean;
}

const name = z
  .string()
  .trim()
  .min(1, 'Give the workspace a name.')
  .max(MAX_WORKSPACE_NAME_LENGTH, 'This name is too long.');
const role = z.enum(GIVEN_ROLES);

/** POST /api/workspaces; PATCH /api/workspaces/:id renames. */
export const WorkspaceBody = z.strictObject({ name });
export type WorkspaceBody = z.infer<typeof WorkspaceBody>;

/** POST /api/workspaces/:id/invitations. */
export const InviteBody = z.strictObject({
  email: z.email('Enter a valid email address.').max(254).toLowerCase(),
  role,
});
export type InviteBody = z.infer<typeof InviteBody>;

/** POST /api/invitations/read and /accept: the secret of a mailed link. */
export const InvitationTokenBody = z.strictObject({ token: z.string().min(1).max(128) });
export type InvitationTokenBody = z.infer<typeof InvitationTokenBody>;

/** PATCH /api/workspaces/:id/members/:userId. `cap` is the most tokens for a usage period; null removes it. */
export const MemberBody = z
  .strictObject({
    role: role.optional(),
    cap: z
      .int('Enter a whole number of tokens.')
      .min(0, 'Enter 0 or more tokens.')
      .max(1_000_000_000, 'Enter a smaller number.')
      .nullish(),
  })
  .refine(...namesChange);
export type MemberBody = z.infer<typeof MemberBody>;

/** POST /api/workspaces/:id/transfer: offers the ownership to an admin, who confirms it by POST …/transfer/accept. */
export const TransferBody = z.strictObject({ userId: Id });
export type TransferBody = z.infer<typeof TransferBody>;
