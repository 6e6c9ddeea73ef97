import type { Request, RequestHandler } from 'express';
import type { Actor } from '../access/index.ts';
import { unauthenticated } from '../errors.ts';
import type { Site } from './cookie.ts';
import { presentedToken } from './session-token.ts';

/** The user that a request acts for, and the session. */
export interface Principal {
  user: { id: string; subscriptionStatus: 'guest' | null };
  session: { id: string };
}

/**
 * Resolves a session token to its user and session; null when the session does not exist. Counts as use of the session,
 * which prolongs it, unless `touch` is false.
 */
export type Authenticate = (
  token: string,
  options?: { touch?: boolean },
) => Promise<Principal | null>;

const identities = new WeakMap<Request, () => Promise<Principal | null>>();

/** Lets `principalOf` answer for each request: the session is looked up at most once, and only when asked for. */
export function identify(authenticate: Authenticate, site: Site): RequestHandler {
  return (req, _res, next) => {
    let known: Promise<Principal | null> | undefined;
    identities.set(req, () => {
      const presented = presentedToken(req.headers, site);
      known ??= presented ? authenticate(presented.token) : Promise.resolve(null);
      return known;
    });
    next();
  };
}

/** The user and session of the request, or null without a valid session. */
export const principalOf = async (req: Request): Promise<Principal | null> =>
  (await identities.get(req)?.()) ?? null;

/** @throws AppError unauthenticated without a valid session. */
export async function requireUser(req: Request): Promise<Principal> {
  const principal = await principalOf(req);
  if (!principal) throw unauthenticated();
  return principal;
}

/** The signed-in user as the actor that policies and services take. */
export const actorOf = ({ user, session }: Principal): Actor => ({
  kind: 'session',
  userId: user.id,
  sessionId: session.id,
  isGuest: user.subscriptionStatus === 'guest',
  scopes: ['all'],
});

/** @throws AppError unauthenticated without a valid session. */
export const requireActor = async (req: Request): Promise<Actor> => actorOf(await requireUser(req));
