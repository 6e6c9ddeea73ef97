import type { RegisterBody } from '../../contract/auth.ts';
import { AppError, notFound } from '../../errors.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { createSessions, type SessionEnded, type SessionsDeps, TOUCH_MS } from './sessions.ts';
import { EmailTaken, type Registration, type UserRecord } from './user-model.ts';

const HOUR = 60 * 60_000;
/** Guests are deleted 24 hours after their last use, which is known to within the touch interval. */
const GUEST_LIFETIME_MS = 24 * HOUR + TOUCH_MS;
/** A claimed guest whose deletion has not come to an end by then is handed out again. */
const CLAIM_MS = HOUR;

/** Who signed in and the token that stands for it from now on. */
export interface SignedIn {
  user: UserRecord;
  token: string;
}

/** Accounts and their sessions. */
export type AccountsService = ReturnType<typeof createAccountsService>;

export function createAccountsService(deps: SessionsDeps) {
  const { users, now } = deps;
  const sessions = createSessions(deps);

  const signIn = async (user: UserRecord, userAgent: string): Promise<SignedIn> => ({
    user,
    token: await sessions.open(user.id, userAgent),
  });

  /** The account that registers: the guest's own, with the same id, while there is one; else a new one. */
  const registered = async (registration: Registration, guestId: string | undefined) => {
    const upgraded = guestId === undefined ? null : await users.upgradeGuest(guestId, registration);
    return upgraded ?? users.createRegistered(registration, now());
  };

  return {
    /**
     * Creates an account and signs in to it. A guest's account becomes the registered one, with everything in it, and
     * the guest's session ends.
     * @throws AppError email_taken
     */
    register: async (
      { password, email, firstName, lastName }: RegisterBody,
      from: { userAgent: string; guest?: SessionEnded },
    ): Promise<SignedIn> => {
      // Hashed first, so that a taken address answers no sooner than a free one.
      const registration = {
        email,
        firstName,
        lastName,
        passwordHash: await hashPassword(password),
      };
      const user = await registered(registration, from.guest?.userId).catch(refuseTakenAddress);
      if (user.id === from.guest?.userId) await sessions.end(from.guest);
      return signIn(user, from.userAgent);
    },

    /** The account with this address and password, or null; as slow for an unknown address as for a known one. */
    verifyCredentials: async (email: string, password: string): Promise<UserRecord | null> => {
      const account = await users.findForSignIn(email);
      const matches = await verifyPassword(account?.passwordHash, password);
      return account && matches ? account.user : null;
    },

    /** Opens a session for somebody whose identity is proven. */
    signIn,

    startGuest: async (userAgent: string): Promise<SignedIn> =>
      signIn(await users.createGuest(now()), userAgent),

    /** Ends the session of a token; nothing happens when there is none. */
    signOut: (token: string): Promise<void> => sessions.endByToken(token),

    /** @throws AppError not_found when the session is over or somebody else's */
    endSession: async (session: SessionEnded): Promise<void> => {
      if (!(await sessions.end(session))) throw notFound('session');
    },

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

    /**
     * Begins to delete guests that were not seen for 24 hours: ends their sessions, shuts their accounts, and returns
     * their ids. The caller removes what other features keep of them and then calls `removeUser`. What a caller
     * does not finish within an hour is returned to a later one.
     */
    claimExpiredGuests: async ({ limit }: { limit: number }): Promise<string[]> => {
      const at = now();
      const ids = await users.claimGuests({
        unseenSince: new Date(at.getTime() - GUEST_LIFETIME_MS),
        retryBefore: new Date(at.getTime() - CLAIM_MS),
        now: at,
        limit,
      });
      await Promise.all(ids.map(sessions.endAllOf));
      return ids;
    },

    /** Removes the account itself, the last step after `claimExpiredGuests`. */
    removeUser: users.remove,
  };
}

function refuseTakenAddress(error: unknown): never {
  if (!(error instanceof EmailTaken)) throw error;
  throw new AppError(
    'email_taken',
    'This e-mail address cannot be registered. If it is yours, sign in instead.',
  );
}
