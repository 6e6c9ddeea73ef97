import type {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  ResetPasswordBody,
} from '../../contract/auth.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import type { SecurityEvent } from '../../security-log.ts';
import type { MailKind } from './jobs.ts';
import type { Links } from './links.ts';
import { hashPassword, rejectWeakPassword } from './passwords.ts';
import { createProof, type OwnCall } from './proof.ts';
import type { Sessions } from './sessions.ts';
import { ignoreTaken, type ProvenAccount, type TakeOver } from './takeover.ts';
import type { UserStore } from './user-model.ts';
import { IdentityTakenError, type UserRecord } from './user-record.ts';

/** Requests a mail to the user of an account; rejects when it could not be queued. */
export type RequestMail = (userId: string, kind: MailKind) => Promise<void>;

interface CredentialsDeps {
  users: UserStore;
  sessions: Sessions;
  links: Links;
  takeOver: TakeOver;
  requestMail: RequestMail;
  /** Called after an account has changed. */
  onChanged: (user: UserRecord) => Promise<void>;
  now: () => Date;
  /** An id that no account has. */
  newId: () => string;
}

/** The password and the email address of an account, and the mailed links that verify and replace them. */
export function createCredentials(deps: CredentialsDeps) {
  const { users, sessions, links, takeOver, requestMail, onChanged, newId } = deps;

  const { requirePassword, requireProof } = createProof(deps);

  /** A notice that cannot be queued must not undo the change that it reports. */
  const notify = (userId: string, kind: MailKind) =>
    requestMail(userId, kind).catch(() => undefined);

  /** Runs after every change of credentials: ends open links and other sessions, and notifies the user. */
  const afterChange = async (
    user: UserRecord | null,
    { notice, except }: { notice: MailKind; except?: string | undefined },
  ): Promise<UserRecord> => {
    if (!user) throw unauthenticated();
    await links.removeAllOf(user.id);
    await sessions.endAllOf(user.id, except === undefined ? {} : { except });
    await notify(user.id, notice);
    await onChanged(user);
    return user;
  };

  const requireFreeEmail = async (email: string): Promise<void> => {
    if (await users.findByEmail(email)) throw emailTaken();
  };

  return {
    requireProof,

    /**
     * Sets another password. Every other session, open link and pending email change ends.
     * @throws AppError invalid_field for a wrong current password, or a new one that is easy to guess
     */
    changePassword: async (
      { user, sessionId }: OwnCall,
      { currentPassword, newPassword }: ChangePasswordBody,
    ): Promise<void> => {
      if (!user.hasPassword) throw noPassword();
      await requirePassword(user, { password: currentPassword, field: 'currentPassword' });
      await rejectWeakPassword(newPassword, { email: user.email ?? '', field: 'newPassword' });
      const changed = await users.setPassword(user, await hashPassword(newPassword), {
        keptSessionId: sessionId,
      });
      await afterChange(changed, { notice: 'password-changed', except: sessionId });
    },

    /** Mails a link that sets a new password, if there is such an account; as much work if there is none. */
    forgotPassword: async (email: string): Promise<{ userId: string | undefined }> => {
      const user = await users.findByEmail(email);
      await requestMail(user?.id ?? newId(), 'reset');
      return { userId: user?.id };
    },

    /**
     * Sets a new password by a mailed link, which also verifies the address. Every session, open link and pending email
     * change ends. An account that was not verified stays as it is when its own user is signed in; otherwise the owner of
     * the mailbox gets an account of their own.
     * @throws AppError not_found when the link works no more; invalid_field when the password is easy to guess, and then
     *   the link still works
     */
    resetPassword: async (
      { token, password }: ResetPasswordBody,
      from: { presentedUserId?: string | undefined } = {},
    ): Promise<ProvenAccount & { event: SecurityEvent }> => {
      const { userId, email } = await links.read(token, 'reset');
      await rejectWeakPassword(password, { email, field: 'password' });
      const passwordHash = await hashPassword(password);
      const holder = await users.find(userId);
      if (holder && !holder.emailVerified && userId !== from.presentedUserId) {
        // The link is not used up first: after a crash it goes on where this stopped.
        const named = { email, emailVerified: true as const, firstName: '', lastName: '' };
        const owner = await takeOver(holder, { ...named, passwordHash }, from).catch(ignoreTaken);
        if (!owner) throw addressChanged();
        await notify(owner.id, 'password-changed');
        return { user: owner, event: 'account_taken_over', formerUserId: userId };
      }
      await links.take(token, 'reset');
      const changed = holder && (await users.resetPassword(holder, email, passwordHash));
      if (!changed) throw addressChanged();
      const user = await afterChange(changed, { notice: 'password-changed' });
      return { user, event: 'password_reset' };
    },

    /**
     * Enters another address, which replaces the present one once its mailed link is confirmed.
     * @throws AppError invalid_field, reauthentication_required, email_taken
     */
    changeEmail: async (
      { user, sessionId }: OwnCall,
      { email, currentPassword }: ChangeEmailBody,
    ): Promise<void> => {
      await requireProof({ user, sessionId }, currentPassword);
      await requireFreeEmail(email);
      const changed = await users.setPendingEmail(user, email);
      if (!changed) throw unauthenticated();
      await onChanged(changed);
      await requestMail(user.id, 'confirm');
      await notify(user.id, 'email-changing');
    },

    /** Mails the link again that confirms the address. */
    resendConfirmation: (user: UserRecord): Promise<void> => requestMail(user.id, 'confirm'),

    /** The account of a confirmation link. @throws AppError not_found when the link works no more */
    holderOfLink: async (token: string): Promise<string> =>
      (await links.read(token, 'confirm')).userId,

    /**
     * Confirms an address by its mailed link, for a session of the account or with its password: the mailbox alone must
     * not verify an account that another user has made.
     * @throws AppError not_found when the link works no more, reauthentication_required, invalid_field for a wrong
     *   password, email_taken
     */
    confirmEmail: async (
      { token, password }: ConfirmEmailBody,
      session: { userId: string; sessionId: string } | null,
    ): Promise<{ user: UserRecord; changed: boolean }> => {
      const { userId, email } = await links.read(token, 'confirm');
      const user = await users.find(userId);
      if (!user) throw addressChanged();
      const own = session?.userId === userId ? session : null;
      if (!own) {
        if (password === undefined) throw signInFirst();
        await requirePassword(user, { password, field: 'password' });
      }
      await links.take(token, 'confirm');
      if (user.pendingEmail === null) {
        const verified = await users.verifyEmail(userId, email);
        if (!verified) throw addressChanged();
        await onChanged(verified);
        return { user: verified, changed: false };
      }
      const except = own?.sessionId;
      const kept = { keptSessionId: except };
      const applied = await users.applyPendingEmail(user, email, kept).catch(rejectTaken);
      if (!applied) throw addressChanged();
      if (applied.formerEmails.length > 0) await notify(applied.id, 'email-replaced');
      return {
        user: await afterChange(applied, { notice: 'email-changed', except }),
        changed: true,
      };
    },

    setProfile: async (
      id: string,
      fields: { firstName?: string; lastName?: string },
    ): Promise<UserRecord> => {
      const user = await users.setProfile(id, fields);
      if (!user) throw unauthenticated();
      await onChanged(user);
      return user;
    },
  };
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

const emailTaken = () =>
  new AppError('email_taken', 'Another account has this email address. Enter another one.');

function rejectTaken(error: unknown): never {
  throw error instanceof IdentityTakenError ? emailTaken() : error;
}
