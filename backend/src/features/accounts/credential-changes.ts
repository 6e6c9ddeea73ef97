import type { ProviderIdentity } from './openid/identity.ts';
import type { AtVersion, UserRecord } from './user-record.ts';

/** All credentials by which an earlier holder could use the account or its address. */
export const ACCESS = { passwordHash: 1, google: 1, replit: 1, pendingEmail: 1 } as const;

/** The session that stays valid after a change of credentials; without one, none does. */
interface Kept {
  keptSessionId?: string | undefined;
}

/** The next version of the credentials, which ends every session except the kept one. */
const nextVersion = (
  { set, unset }: { set: object; unset: object },
  { keptSessionId }: Kept = {},
): object => ({
  $inc: { credentialVersion: 1 },
  $set: { ...set, ...(keptSessionId !== undefined && { keptSessionId }) },
  $unset: { ...unset, ...(keptSessionId === undefined && { keptSessionId: 1 }) },
});

/** The filter of an account at a version of its credentials. */
export const atVersion = ({ id, credentialVersion }: AtVersion) => ({ _id: id, credentialVersion });

/**
 * Changes one account that matches the filter; null when none matches.
 * @throws IdentityTakenError
 */
type ChangeUser = (filter: object, update: object) => Promise<UserRecord | null>;

/** The changes of credentials, each one guarded update: the facts that they were verified against must still be true. */
export const createCredentialChanges = (change: ChangeUser) => ({
  ...emailChanges(change),
  ...passwordChanges(change),
  ...identityChanges(change),
});

const emailChanges = (change: ChangeUser) => ({
  /** Sets the email address of the next confirmation link; null when the credentials have changed since. */
  setPendingEmail: (user: AtVersion, pendingEmail: string): Promise<UserRecord | null> =>
    change(atVersion(user), { $set: { pendingEmail } }),

  /** Null when no email address is pending. */
  cancelPendingEmail: (id: string): Promise<UserRecord | null> =>
    change({ _id: id, pendingEmail: { $ne: null } }, { $unset: { pendingEmail: 1 } }),

  /** Marks the email address as verified; null when the account has another current or pending one. */
  verifyEmail: (id: string, email: string): Promise<UserRecord | null> =>
    change({ _id: id, email, pendingEmail: null }, { $set: { emailVerified: true } }),

  /**
   * Replaces the current email address by the pending one; null when it is not pending.
   * @throws IdentityTakenError
   */
  applyPendingEmail: (
    user: AtVersion & Pick<UserRecord, 'email' | 'emailVerified'>,
    email: string,
    kept?: Kept,
  ): Promise<UserRecord | null> => {
    const { email: former, emailVerified } = user;
    const changes = { set: { email, emailVerified: true }, unset: { pendingEmail: 1 } };
    return change(
      { ...atVersion(user), email: former, emailVerified, pendingEmail: email },
      {
        ...nextVersion(changes, kept),
        ...(former !== null && emailVerified && { $addToSet: { formerEmails: former } }),
      },
    );
  },
});

const passwordChanges = (change: ChangeUser) => ({
  /** Null when the credentials have changed since the current password was verified. */
  setPassword: (user: AtVersion, passwordHash: string, kept?: Kept): Promise<UserRecord | null> =>
    change(
      atVersion(user),
      nextVersion({ set: { passwordHash }, unset: { pendingEmail: 1 } }, kept),
    ),

  /**
   * Sets a new password by a link that was mailed to `email`, which also verifies this address. Provider links of a formerly unverified
   * account are removed, because nothing proves that they belong to the owner of the mailbox. Null when the account has changed since.
   */
  resetPassword: (
    user: AtVersion & Pick<UserRecord, 'emailVerified'>,
    email: string,
    passwordHash: string,
  ): Promise<UserRecord | null> => {
    const { passwordHash: _kept, ...others } = ACCESS;
    return change(
      { ...atVersion(user), email, emailVerified: user.emailVerified },
      nextVersion({
        set: { passwordHash, emailVerified: true },
        unset: user.emailVerified ? { pendingEmail: 1 } : others,
      }),
    );
  },
});

const identityChanges = (change: ChangeUser) => ({
  /**
   * Links a provider to an account with a verified email address, or one that this sign-in of its user verifies. Null when the account has
   * changed since, or is already linked to a subject of this provider.
   * @throws IdentityTakenError
   */
  linkProvider: (
    user: Pick<UserRecord, 'id' | 'email' | 'emailVerified'>,
    { provider, subject }: Pick<ProviderIdentity, 'provider' | 'subject'>,
  ): Promise<UserRecord | null> =>
    change(
      { _id: user.id, email: user.email, emailVerified: user.emailVerified, [provider]: null },
      { $set: { [provider]: subject, emailVerified: true } },
    ),

  /**
   * Removes the email address and all credentials from an unverified account whose address another user has proven. Sign-ins to it are no
   * longer possible; it keeps its data until it is removed. Null when the account has changed since.
   */
  removeIdentity: (
    user: AtVersion & Pick<UserRecord, 'email'>,
    now: Date,
  ): Promise<UserRecord | null> =>
    change(
      { ...atVersion(user), email: user.email, emailVerified: false },
      nextVersion({ set: { lastSeenAt: now }, unset: { ...ACCESS, email: 1 } }),
    ),
});
