import type {
  ChangeEmailBody,
  ChangePasswordBody,
  ResetPasswordBody,
} from '../../contract/auth.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import type { Links } from './links.ts';
import type { MailKind } from './mails.ts';
import { hashPassword, refuseGuessable, verifyPassword } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import { Taken, type UserRecord, type UserStore } from './user-model.ts';

/** Asks for a mail to the owner of an account; rejects when it could not be queued. */
export type RequestMail = (userId: string, kind: MailKind) => Promise<void>;

interface CredentialsDeps {
  users: UserStore;
  sessions: Sessions;
  links: Links;
  requestMail: RequestMail;
  /** Told after an account has changed. */
  onChanged: (user: UserRecord) => Promise<void>;
  /** An id that belongs to nobody. */
  newId: () => string;
}

/** Proves that the owner is at the keyboard, not only the owner's session. */
interface Owner {
  user: UserRecord;
  currentPassword: string | undefined;
}

/** The password and the e-mail address of an account, and the mailed links that prove and replace them. */
export function createCredentials(deps: CredentialsDeps) {
  const { users, sessions, links, requestMail, onChanged, newId } = deps;

  /** @throws AppError invalid_field when the account has a password and this is not it */
  const requireOwner = async ({ user, currentPassword }: Owner): Promise<void> => {
    if (!user.hasPassword) return;
    const hash = await users.passwordHashOf(user.id);
    if (await verifyPassword(hash, currentPassword ?? '')) return;
    throw new AppError('invalid_field', 'This is not your current password.', {
      details: { field: 'currentPassword' },
    });
  };

  /** A notice that cannot be queued now must not undo what it tells of. */
  const notify = (userId: string, kind: MailKind) =>
    requestMail(userId, kind).catch(() => undefined);

  const changed = async (user: UserRecord | null): Promise<UserRecord> => {
    if (!user) throw unauthenticated();
    await onChanged(user);
    return user;
  };

  return {
    requireOwner,

    /**
     * Sets another password; every session but the one that asks ends.
     * @throws AppError invalid_field for a wrong or missing current password, or a new one that is easy to guess
     */
    changePassword: async (
      { user, sessionId }: { user: UserRecord; sessionId: string },
      { currentPassword, newPassword }: ChangePasswordBody,
    ): Promise<void> => {
      if (!user.hasPassword) throw noPassword();
      await requireOwner({ user, currentPassword });
      await refuseGuessable(newPassword, { email: user.email ?? '', field: 'newPassword' });
      await users.setPassword(user.id, await hashPassword(newPassword));
      await sessions.endAllOf(user.id, { except: sessionId });
      await notify(user.id, 'password-changed');
    },

    /** Mails a link that sets a new password, if there is such an account; as much work if there is none. */
    forgotPassword: async (email: string): Promise<void> => {
      const user = await users.findForReset(email);
      await requestMail(user?.id ?? newId(), 'reset');
    },

    /**
     * Sets a new password by a mailed link, which also proves the address. Every session of the account ends.
     * @throws AppError not_found when the link works no more; invalid_field when the password is easy to guess, and then
     *   the link still works
     */
    resetPassword: async ({ token, password }: ResetPasswordBody): Promise<UserRecord> => {
      const { email } = await links.read(token, 'reset');
      await refuseGuessable(password, { email, field: 'password' });
      const passwordHash = await hashPassword(password);
      const link = await links.take(token, 'reset');
      const user = await users
        .resetPassword(link.userId, link.email, passwordHash)
        .catch(refuseTaken);
      if (!user) throw addressChanged();
      await sessions.endAllOf(user.id);
      await onChanged(user);
      return user;
    },

    /**
     * Enters another address, which is in force once its mailed link was opened.
     * @throws AppError invalid_field for a wrong current password
     */
    changeEmail: async (
      user: UserRecord,
      { email, currentPassword }: ChangeEmailBody,
    ): Promise<void> => {
      await requireOwner({ user, currentPassword });
      await changed(await users.setPendingEmail(user.id, email));
      await requestMail(user.id, 'confirm');
      await notify(user.id, 'email-changing');
    },

    /** Mails the link again that confirms the address. */
    resendConfirmation: (user: UserRecord): Promise<void> => requestMail(user.id, 'confirm'),

    /** @throws AppError not_found when the link works no more, email_taken when somebody else was first */
    confirmEmail: async (token: string): Promise<void> => {
      const { userId, email } = await links.take(token, 'confirm');
      const user = await users.proveEmail(userId, email).catch(refuseTaken);
      if (!user) throw addressChanged();
      await onChanged(user);
    },

    setProfile: async (
      id: string,
      fields: { firstName?: string; lastName?: string },
    ): Promise<UserRecord> => changed(await users.setProfile(id, fields)),
  };
}

const noPassword = () =>
  new AppError('forbidden', 'This account has no password yet. Have a link mailed to set one.');

const addressChanged = () =>
  new AppError('not_found', 'This link was for another address. Ask for a new one.');

function refuseTaken(error: unknown): never {
  if (!(error instanceof Taken)) throw error;
  throw new AppError(
    'email_taken',
    'Another account has confirmed this address meanwhile. Sign in to that one instead.',
  );
}
