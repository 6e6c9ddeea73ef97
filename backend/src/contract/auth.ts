import * as z from 'zod';
import { MAX_NAME_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './limits.ts';
import type { UsageSummary } from './usage.ts';

const email = z.email('Enter a valid email address.').max(254).toLowerCase();
const name = z.string().trim().max(MAX_NAME_LENGTH);
const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
  .max(MAX_PASSWORD_LENGTH, `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`);
const currentPassword = z.string().min(1, 'Enter your current password.').max(MAX_PASSWORD_LENGTH);
/** The secret of a mailed link. */
const linkToken = z.string().min(1).max(128);

/** POST /api/auth/login. */
export const LoginBody = z.object({
  email,
  password: z.string().min(1, 'Enter your password.').max(MAX_PASSWORD_LENGTH),
});
export type LoginBody = z.infer<typeof LoginBody>;

/** POST /api/auth/register. */
export const RegisterBody = z.object({
  email,
  password: newPassword,
  firstName: name.default(''),
  lastName: name.default(''),
});
export type RegisterBody = z.infer<typeof RegisterBody>;

/** POST /api/auth/google: the ID token that Google's widget gave to the page. */
export const GoogleBody = z.object({ credential: z.string().min(1).max(8_192) });
export type GoogleBody = z.infer<typeof GoogleBody>;

/**
 * POST /api/auth/google/start: the data for Google's widget in the page. A cookie binds the nonce to this browser; the credential must
 * contain it. 404 when Google is not configured.
 */
export interface GoogleStart {
  clientId: string;
  nonce: string;
  /** Whether GET /api/auth/google works too, for browsers that block the widget. */
  redirect: boolean;
}

/** The `error` of a failed sign-in by redirect, for /login; the page has a sentence for each. */
export const SIGN_IN_ERRORS = [
  'google_unavailable',
  'replit_unavailable',
  'cancelled',
  'expired',
  'email_unverified',
  'provider_conflict',
  'other_account',
  'failed',
] as const;
export type SignInError = (typeof SIGN_IN_ERRORS)[number];

/** GET /api/auth/options: the options of this installation. */
export interface AuthOptions {
  /** Whether /test exists. */
  testPage: boolean;
}

/** PATCH /api/auth/user; an absent field stays unchanged. */
export const ProfileBody = z.object({ firstName: name.optional(), lastName: name.optional() });
export type ProfileBody = z.infer<typeof ProfileBody>;

/**
 * POST /api/auth/email: the new email address, which replaces the current one once its mailed link is confirmed.
 * DELETE /api/auth/email/pending cancels the change and answers the `User`.
 */
export const ChangeEmailBody = z.object({ email, currentPassword: currentPassword.optional() });
export type ChangeEmailBody = z.infer<typeof ChangeEmailBody>;

/**
 * POST /api/auth/email/confirm, with a session of the account or its password. Without either: 403
 * `reauthentication_required`.
 */
export const ConfirmEmailBody = z.object({
  token: linkToken,
  password: z.string().min(1, 'Enter your password.').max(MAX_PASSWORD_LENGTH).optional(),
});
export type ConfirmEmailBody = z.infer<typeof ConfirmEmailBody>;

/** POST /api/auth/password. Every other session, open link and pending email change of the account ends. */
export const ChangePasswordBody = z.object({ currentPassword, newPassword });
export type ChangePasswordBody = z.infer<typeof ChangePasswordBody>;

/** POST /api/auth/password/forgot. The answer is the same whether or not the account exists. */
export const ForgotPasswordBody = z.object({ email });
export type ForgotPasswordBody = z.infer<typeof ForgotPasswordBody>;

/**
 * GET /api/auth/mailed-link: the newest link to `page` that was mailed to `email` since `since`. Only where mails are written into a
 * folder, never in production, and only for requests of the same machine; otherwise 404.
 */
export const MailedLinkQuery = z.object({
  email,
  page: z.enum(['verify-email', 'reset-password']),
  since: z.iso.datetime().pipe(z.coerce.date()),
});
export type MailedLinkQuery = z.infer<typeof MailedLinkQuery>;

/** Its answer; `path` is null until there is one. */
export interface MailedLink {
  /** Path and fragment of the link on this server. */
  path: string | null;
}

/** POST /api/auth/password/reset: ends every session of the account and answers with a new one. */
export const ResetPasswordBody = z.object({ token: linkToken, password: newPassword });
export type ResetPasswordBody = z.infer<typeof ResetPasswordBody>;

/**
 * The calls that reveal all data, and in `DeletionBody`: POST /api/account/export and its /address. An account with a password needs
 * it; one without needs a sign-in of the last five minutes. Guests need neither.
 */
export const ProofBody = z.object({ currentPassword: currentPassword.optional() });
export type ProofBody = z.infer<typeof ProofBody>;

/** DELETE /api/auth/user: the proof, and what becomes of what is shared. Without a choice nothing of the account's own stays. */
export const DeletionBody = ProofBody.extend({
  /** What the user shares with workspaces of others goes to their owners. */
  handOver: z.boolean().default(false),
  /** The user's messages in conversations of others are erased too. */
  eraseMessages: z.boolean().default(false),
});
export type DeletionBody = z.input<typeof DeletionBody>;

/** One of GET /api/auth/sessions, last used first. */
export interface Session {
  id: string;
  /** Browser and system, such as 'Firefox on Linux'. */
  device: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601, exact to five minutes. */
  lastUsedAt: string;
  /** The session of this request. */
  current: boolean;
}

/** Answer of calls that return only a sentence for the user. */
export interface MessageResult {
  message: string;
}

/** Answer of login and register; the start of a guest answers only the token. */
export interface TokenResult {
  token: string;
  message?: string;
}

/** `past_due`: a renewal was not paid; the plan stays during the days of grace, and ends after them. */
export type SubscriptionStatus = 'active' | 'past_due' | 'guest';
export type PlanId = 'starter' | 'pro';

export type SignInProvider = 'google' | 'replit';

/** GET /api/auth/user. */
export interface User {
  id: string;
  email: string | null;
  /** Whether the user has verified the email address. */
  emailVerified: boolean;
  /** An email address that replaces `email` once its mailed link is confirmed. */
  pendingEmail: string | null;
  hasPassword: boolean;
  /** Providers that are linked to the account. */
  signInProviders: SignInProvider[];
  firstName: string;
  lastName: string;
  subscriptionStatus: SubscriptionStatus | null;
  subscriptionPlan: PlanId | null;
  /** The remaining demo quota; only for guests. */
  demo?: DemoAllowance;
  /** The used tokens of the plan; only for subscribers. */
  usage?: UsageSummary;
  /** Only for users without a plan: a workspace pays for some conversations. */
  hasPool?: true;
}

export interface DemoAllowance {
  messagesLeft: number;
  messageLimit: number;
  /** Without the reservations of running replies: a send can be refused although tokens are left. */
  tokensLeft: number;
  tokenLimit: number;
}
