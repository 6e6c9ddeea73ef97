import type {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  ResetPasswordBody,
} from '../../contract/auth.ts';
import { AppError, invalidField, unauthenticated } from '../../errors.ts';
import type { SecurityEvent } from '../../security-log.ts';
import type { Presented } from './create-account.ts';
import { publishAccount } from './events.ts';
import type { AccountsFeature } from './feature.ts';
import type { MailKind } from './jobs.ts';
import { readLink, takeLink } from './links.ts';
import { notify, requestMail } from './mails.ts';
import { hashPassword, rejectWeakPassword } from './passwords.ts';
import { type OwnCall, requirePassword, requireProof } from './proof.ts';
import type { SessionRef } from './session-model.ts';
import { endAllSessions } from './sessions.ts';
import { ignoreTaken, type ProvenAccount, takeOver } from './takeover.ts';
import { IdentityTakenError, type UserRecord } from './user-record.ts';

/** Sets the first and the last name. */
export async function changeProfile(
  accounts: AccountsFeature,
  id: string,
  fields: { firstName?: string; lastName?: string },
): Promise<UserRecord> {
  const user = await accounts.users.setProfile(id, fields);
  if (!user) throw unauthenticated();
  await publishAccount(accounts, user);
  return user;
}

/**
 * Sets another password. Every other session, open link and pending email change ends.
 * @throws AppError invalid_field for a wrong current password, or a new one that is easy to guess
 */
export async function changePassword(
  accounts: AccountsFeature,
  { user, sessionId }: OwnCall,
  { currentPassword, newPassword }: ChangePasswordBody,
): Promise<void> {
  if (!user.hasPassword) throw noPassword();
  await requirePassword(accounts, user, { password: currentPassword, field: 'currentPassword' });
  await rejectWeakPassword(newPassword, { email: user.email ?? '', field: 'newPassword' });
  const changed = await accounts.users.setPassword(user, await hashPassword(newPassword), {
    keptSessionId: sessionId,
  });
  await finishChange(accounts, changed, { notice: 'password-changed', except: sessionId });
}

/** Mails a link that sets a new password, if the account exists. Both cases do the same work. */
export async function forgotPassword(
  accounts: AccountsFeature,
  email: string,
): Promise<{ userId: string | undefined }> {
  const user = await accounts.users.findByEmail(email);
  await requestMail(accounts, user?.id ?? accounts.newId(), 'reset');
  return { userId: user?.id };
}

/**
 * Sets a new password by a mailed link, which also verifies the email address. Every session, open link and pending email change ends. An
 * unverified account stays when its own user is signed in; otherwise the owner of the mailbox gets a separate account.
 * @throws AppError not_found when the link no longer works; invalid_field when the password is easy to guess, and then the link still works
 */
export async function resetPassword(
  accounts: AccountsFeature,
  { token, password }: ResetPasswordBody,
  { presented }: Presented = {},
): Promise<ProvenAccount & { event: SecurityEvent }> {
  const { users } = accounts;
  const { userId, email } = await readLink(accounts, 'reset', token);
  await rejectWeakPassword(password, { email, field: 'password' });
  const passwordHash = await hashPassword(password);
  const holder = await users.find(userId);
  if (holder && !holder.emailVerified && userId !== presented?.userId) {
    // The link is not used up first, so that after a crash it continues from here.
    const named = { email, emailVerified: true as const, firstName: '', lastName: '' };
    const registration = { ...named, passwordHash };
    const change = { holder, registration, presented };
    const owner = await takeOver(accounts, change).catch(ignoreTaken);
    if (!owner) throw addressChanged();
    await notify(accounts, owner.id, 'password-changed');
    return { user: owner, event: 'account_taken_over', formerUserId: userId };
  }
  await takeLink(accounts, 'reset', token);
  const changed = holder && (await users.resetPassword(holder, email, passwordHash));
  if (!changed) throw addressChanged();
  const user = await finishChange(accounts, changed, { notice: 'password-changed' });
  return { user, event: 'password_reset' };
}

/**
 * Sets a new email address, which replaces the current one once its mailed link is confirmed.
 * @throws AppError invalid_field, reauthentication_required, email_taken
 */
export async function changeEmail(
  accounts: AccountsFeature,
  call: OwnCall,
  { email, currentPassword }: ChangeEmailBody,
): Promise<void> {
  const { users } = accounts;
  const { user } = call;
  await requireProof(accounts, call, currentPassword);
  const holder = await users.findByEmail(email);
  if (holder) throw holder.id === user.id ? sameEmail() : emailTaken();
  const changed = await users.setPendingEmail(user, email);
  if (!changed) throw unauthenticated();
  await publishAccount(accounts, changed);
  await requestMail(accounts, user.id, 'confirm');
  await notify(accounts, user.id, 'email-changing');
}

/** Withdraws the pending change of the email address, and its link. Null when no change is pending. */
export async function cancelEmailChange(
  accounts: AccountsFeature,
  userId: string,
): Promise<UserRecord | null> {
  const cancelled = await accounts.users.cancelPendingEmail(userId);
  if (!cancelled) return null;
  await accounts.links.removeAllOf(userId, 'confirm');
  await publishAccount(accounts, cancelled);
  return cancelled;
}

/**
 * Confirms an email address by its mailed link, with a session of the account or its password: the mailbox alone must not verify an account
 * that another user has created.
 * @throws AppError not_found when the link no longer works, reauthentication_required, invalid_field for a wrong password, email_taken
 */
export async function confirmEmail(
  accounts: AccountsFeature,
  { token, password }: ConfirmEmailBody,
  session: SessionRef | null,
): Promise<{ user: UserRecord; changed: boolean }> {
  const { users } = accounts;
  const { userId, email } = await readLink(accounts, 'confirm', token);
  const user = await users.find(userId);
  if (!user) throw addressChanged();
  const own = session?.userId === userId ? session : null;
  if (!own) {
    if (password === undefined) throw signInFirst();
    await requirePassword(accounts, user, { password, field: 'password' });
  }
  await takeLink(accounts, 'confirm', token);
  if (user.pendingEmail === null) {
    const verified = await users.verifyEmail(userId, email);
    if (!verified) throw addressChanged();
    await publishAccount(accounts, verified);
    return { user: verified, changed: false };
  }
  const except = own?.sessionId;
  const kept = { keptSessionId: except };
  const applied = await users.applyPendingEmail(user, email, kept).catch(rejectTaken);
  if (!applied) throw addressChanged();
  if (applied.formerEmails.length > 0) await notify(accounts, applied.id, 'email-replaced');
  const changed = await finishChange(accounts, applied, { notice: 'email-changed', except });
  return { user: changed, changed: true };
}

/** Runs after every change of credentials: ends open links and other sessions, and notifies the user. */
async function finishChange(
  accounts: AccountsFeature,
  user: UserRecord | null,
  { notice, except }: { notice: MailKind; except?: string | undefined },
): Promise<UserRecord> {
  if (!user) throw unauthenticated();
  await accounts.links.removeAllOf(user.id);
  await endAllSessions(accounts, user.id, except === undefined ? {} : { except });
  await notify(accounts, user.id, notice);
  await publishAccount(accounts, user);
  return user;
}

const noPassword = () =>
  new AppError('forbidden', 'This account has no password yet. Have a link mailed to set one.');

const addressChanged = () =>
  new AppError('not_found', 'This link was for another email address. Ask for a new one.');

const signInFirst = () =>
  new AppError(
    'reauthentication_required',
    'Sign in to the account that this email address is for, or enter its password.',
  );

const sameEmail = () =>
  invalidField('email', 'Your account has this email address already. Enter another one.');

const emailTaken = () =>
  new AppError('email_taken', 'Another account has this email address. Enter another one.');

function rejectTaken(error: unknown): never {
  throw error instanceof IdentityTakenError ? emailTaken() : error;
}
