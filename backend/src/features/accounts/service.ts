import { type Actor, sessionActor } from '../../access/index.ts';
import type { RegisterBody } from '../../contract/auth.ts';
import { AppError, notFound } from '../../errors.ts';
import { createCredentials, type RequestMail } from './credentials.ts';
import { createIdentities } from './identities.ts';
import type { LinkStore } from './link-model.ts';
import { createLinks } from './links.ts';
import { hashPassword, rejectWeakPassword, verifyPassword } from './passwords.ts';
import type { RemovalStore } from './removal-model.ts';
import { createRemovals } from './removals.ts';
import { hashOf } from './secrets.ts';
import type { SessionRecord } from './session-model.ts';
import { createSessionOwners } from './session-owners.ts';
import { createSessions, type SessionEnded, type SessionsDeps } from './sessions.ts';
import { createTakeover } from './takeover.ts';
import { type AtVersion, IdentityTakenError, type UserRecord } from './user-record.ts';

export interface AccountsDeps extends SessionsDeps {
  links: LinkStore;
  removals: RemovalStore;
  requestMail: RequestMail;
  /** Called after an account has changed. */
  onChanged: (user: UserRecord) => Promise<void>;
  /** Has a closed account erased; returns the id of the receipt. */
  requestRemoval: (userId: string) => Promise<string>;
  hasPlan: (userId: string) => Promise<boolean>;
  /** Ends what a user pays or may still pay. */
  endPayments: (userId: string) => Promise<void>;
  /** An id that no account has. */
  newId: () => string;
}

/** Accounts and their sessions. */
export type AccountsService = ReturnType<typeof createAccountsService>;

export function createAccountsService(deps: AccountsDeps) {
  const { users, now, requestMail } = deps;
  const sessions = createSessions(deps);
  const links = createLinks(deps);
  const owners = createSessionOwners();
  const shared = {
    ...deps,
    sessions,
    links,
    takeOver: createTakeover({ ...deps, sessions, links }),
  };

  return {
    ...createIdentities(shared),
    ...createCredentials(shared),
    ...createRemovals(shared),

    /**
     * Creates an account. A guest's account becomes the registered one, with everything in it. The answer for an address
     * that has an account is the same whatever the password.
     * @throws AppError email_taken, or invalid_field when the password is easy to guess
     */
    register: async (
      { password, email, firstName, lastName }: RegisterBody,
      { presentedUserId }: { presentedUserId?: string | undefined } = {},
    ): Promise<UserRecord> => {
      await rejectWeakPassword(password, { email, field: 'password' });
      const passwordHash = await hashPassword(password);
      const registration = { email, emailVerified: false, firstName, lastName, passwordHash };
      const from = { presentedUserId, now: now() };
      const user = await users.register(registration, from).catch(rejectTaken);
      // The account exists even without the mail; Settings sends the link again.
      await requestMail(user.id, 'confirm').catch(() => undefined);
      return user;
    },

    /** The account that this address and password open, or null; the same work whether there is one. */
    verifyCredentials: async (email: string, password: string): Promise<UserRecord | null> => {
      const found = await users.findCredentials({ email });
      return (await verifyPassword(found?.passwordHash, password)) && found ? found.user : null;
    },

    /** The id of the account that has an address; undefined when there is none. */
    idOfEmail: async (email: string): Promise<string | undefined> =>
      (await users.findByEmail(email))?.id,

    /**
     * Opens a session for an account whose credentials were verified, now unless `authenticatedAt` says otherwise, and
     * returns its token.
     * @throws AppError unauthenticated when the credentials have changed since
     */
    signIn: (user: AtVersion, userAgent: string, authenticatedAt?: Date | null): Promise<string> =>
      sessions.open(user, userAgent, authenticatedAt),

    /** Ends the session of a token whose browser has signed in anew. */
    replaceSession: sessions.replaceByToken,

    createGuest: (): Promise<UserRecord> => users.createGuest(now()),

    /** Ends the session of a token; null when there is none. */
    signOut: (token: string): Promise<SessionEnded | null> => sessions.endByToken(token),

    /** The sessions of a user, the last used first. */
    listSessions: (userId: string): Promise<SessionRecord[]> => sessions.list(userId),

    /** @throws AppError not_found when the session is over or another user's */
    endSession: async (session: SessionEnded): Promise<void> => {
      if (!(await sessions.end(session))) throw notFound('session');
    },

    /** Signs the user out everywhere. */
    endAllSessions: (userId: string): Promise<void> => sessions.endAllOf(userId),

    /** The actor of a session token, or null. Using a session extends it by 30 days, unless `touch` is false. */
    authenticate: async (token: string, options?: { touch?: boolean }): Promise<Actor | null> => {
      const tokenHash = hashOf(token);
      const ownerId = owners.of(tokenHash);
      const [session, owner] = await Promise.all([
        sessions.find(token, options),
        ownerId === undefined ? null : users.find(ownerId),
      ]);
      if (!session) {
        owners.forget(tokenHash);
        return null;
      }
      owners.know(tokenHash, session.userId);
      const user = owner?.id === session.userId ? owner : await users.find(session.userId);
      if (!user) return null;
      if (!isCurrent(session, user)) {
        // A crash has left it between the change of credentials and the end of the other sessions.
        await sessions.end({ userId: user.id, sessionId: session.id });
        return null;
      }
      const isGuest = user.subscriptionStatus === 'guest';
      return sessionActor({ userId: user.id, sessionId: session.id, isGuest });
    },

    /** The account of an id, or null when it is gone. */
    find: users.find,
  };
}

/** Whether a session was opened with the present credentials, or is the one that has changed them. */
const isCurrent = ({ id, credentialVersion }: SessionRecord, user: UserRecord): boolean =>
  credentialVersion === user.credentialVersion || id === user.keptSessionId;

function rejectTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  throw new AppError(
    'email_taken',
    'An account with this email already exists. Sign in or reset your password.',
  );
}
