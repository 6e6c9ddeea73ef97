import type { RegisterBody } from '../../contract/auth.ts';
import { notFound } from '../../errors.ts';
import { createCredentials, type RequestMail } from './credentials.ts';
import { createIdentities } from './identities.ts';
import type { LinkStore } from './link-model.ts';
import { createLinks } from './links.ts';
import { hashPassword, refuseGuessable, verifyPassword } from './passwords.ts';
import type { RemovalStore } from './removal-model.ts';
import { createRemovals } from './removals.ts';
import type { SessionRecord } from './session-model.ts';
import { createSessions, type SessionEnded, type SessionsDeps } from './sessions.ts';
import type { Registration, UserRecord } from './user-model.ts';

export interface AccountsDeps extends SessionsDeps {
  links: LinkStore;
  removals: RemovalStore;
  requestMail: RequestMail;
  /** Told after an account has changed. */
  onChanged: (user: UserRecord) => Promise<void>;
  /** Asks for everything of an account that was deleted to be removed. */
  requestRemoval: (userId: string) => Promise<void>;
  /** An id that belongs to nobody. */
  newId: () => string;
}

/** Accounts and their sessions. */
export type AccountsService = ReturnType<typeof createAccountsService>;

export function createAccountsService(deps: AccountsDeps) {
  const { users, now, requestMail } = deps;
  const sessions = createSessions(deps);
  const links = createLinks(deps);

  /** The account that this address and password open, or null; the same work whether there is one. */
  const verifyCredentials = async (email: string, password: string): Promise<UserRecord | null> => {
    const claims = await users.claims(email);
    const matches = await Promise.all(
      claims.map((claim) => verifyPassword(claim?.passwordHash, password)),
    );
    return claims.find((_claim, n) => matches[n])?.user ?? null;
  };

  const upgrade = async (guest: SessionEnded, registration: Registration) => {
    const user = await users.upgradeGuest(guest.userId, registration);
    if (user) await sessions.retire(guest);
    return user;
  };

  return {
    ...createIdentities({ users, sessions, now }),
    ...createCredentials({ ...deps, sessions, links }),
    ...createRemovals({ ...deps, sessions, links }),

    /**
     * Creates an account; whether the address is known already makes no difference here, since it is only claimed until
     * its mailed link was opened. A guest's account becomes the registered one, with everything in it, and the guest's
     * session ends. Registering again with the same password finds the account that is there.
     * @throws AppError invalid_field when the password is easy to guess
     */
    register: async (
      { password, email, firstName, lastName }: RegisterBody,
      { guest }: { guest?: SessionEnded } = {},
    ): Promise<UserRecord> => {
      await refuseGuessable(password, { email, field: 'password' });
      const known = await verifyCredentials(email, password);
      const passwordHash = await hashPassword(password);
      if (known) return known;
      const registration = { email, emailVerified: false, firstName, lastName, passwordHash };
      const upgraded = guest && (await upgrade(guest, registration));
      // The guest is gone when the same call came twice: then the other one has made the account.
      const made = guest && !upgraded ? await verifyCredentials(email, password) : null;
      const user = upgraded ?? made ?? (await users.createRegistered(registration, now()));
      // Without the mail the account is there all the same; Settings sends the link again.
      await requestMail(user.id, 'confirm').catch(() => undefined);
      return user;
    },

    verifyCredentials,

    /** Opens a session for somebody whose identity is proven, and returns its token. */
    signIn: (user: UserRecord, userAgent: string): Promise<string> =>
      sessions.open(user.id, userAgent),

    createGuest: (): Promise<UserRecord> => users.createGuest(now()),

    /** Ends the session of a token; nothing happens when there is none. */
    signOut: (token: string): Promise<void> => sessions.endByToken(token),

    /** The person's sessions, the last used first. */
    listSessions: (userId: string): Promise<SessionRecord[]> => sessions.list(userId),

    /** @throws AppError not_found when the session is over or somebody else's */
    endSession: async (session: SessionEnded): Promise<void> => {
      if (!(await sessions.end(session))) throw notFound('session');
    },

    /** Signs the person out everywhere. */
    endAllSessions: (userId: string): Promise<void> => sessions.endAllOf(userId),

    /** Who a token stands for, or null. Using a session keeps it alive for another 30 days. */
    authenticate: async (
      token: string,
    ): Promise<{ user: UserRecord; session: { id: string } } | null> => {
      const session = await sessions.find(token);
      const user = session && (await users.find(session.userId));
      return user ? { user, session: { id: session.id } } : null;
    },

    /** The account of an id, or null when it is gone. */
    find: users.find,
  };
}
