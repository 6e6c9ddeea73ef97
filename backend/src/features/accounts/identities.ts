import { AppError } from '../../errors.ts';
import type { ProviderIdentity } from './openid/identity.ts';
import type { SessionEnded, Sessions } from './sessions.ts';
import { Taken, type UserRecord, type UserStore } from './user-model.ts';

const NAMES = { google: 'Google', replit: 'Replit' };

export interface IdentitiesDeps {
  users: UserStore;
  sessions: Sessions;
  now: () => Date;
}

/** Accounts of people whom a sign-in provider vouches for. */
export function createIdentities({ users, sessions, now }: IdentitiesDeps) {
  const linkProven = async (identity: ProviderIdentity, email: string) => {
    const proven = await users.findProven(email);
    return proven && users.link(proven.id, identity);
  };

  const registered = async (
    { provider, subject, firstName, lastName }: ProviderIdentity,
    { email, guest }: { email: string; guest: SessionEnded | undefined },
  ): Promise<UserRecord> => {
    const registration = { email, emailVerified: true, firstName, lastName, [provider]: subject };
    const upgraded = guest && (await users.upgradeGuest(guest.userId, registration));
    if (upgraded) await sessions.retire(guest);
    return upgraded ?? users.createRegistered(registration, now());
  };

  return {
    /**
     * The account of somebody a provider vouches for: the one linked to them, else the one that has proven the same
     * address, else a new one, which is the guest's own when a guest asks. An address that is only claimed links nothing:
     * whoever claimed it would share the account (decision 'Sign-in providers').
     * @throws AppError email_unverified
     */
    accountOf: async (
      identity: ProviderIdentity,
      { guest }: { guest?: SessionEnded } = {},
    ): Promise<UserRecord> => {
      const linked = await users.findByProvider(identity);
      if (linked) return linked;
      const email = provenEmail(identity);
      try {
        return (
          (await linkProven(identity, email)) ?? (await registered(identity, { email, guest }))
        );
      } catch (error) {
        if (!(error instanceof Taken)) throw error;
        // Signed in twice at once: the other call has made or linked the account meanwhile.
        const made = (await users.findByProvider(identity)) ?? (await linkProven(identity, email));
        if (made) return made;
        throw error;
      }
    },
  };
}

function provenEmail({ provider, email, emailVerified }: ProviderIdentity): string {
  if (email !== null && emailVerified) return email.toLowerCase();
  throw new AppError(
    'email_unverified',
    `${NAMES[provider]} has not verified your e-mail address. Verify it there, or use another login method.`,
  );
}
