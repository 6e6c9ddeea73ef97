import type { Request, RequestHandler } from 'express';
import type { Actor } from '../access/index.ts';
import { unauthenticated } from '../errors.ts';
import type { Site } from './cookie.ts';
import { presentedToken } from './session-token.ts';

/** Resolves a session token to its actor; null when the session has ended. Counts as use of the session, which extends it. */
export type Authenticate = (token: string) => Promise<Actor | null>;

const actors = new WeakMap<Request, () => Promise<Actor | null>>();

/** Enables `actorOf` for each request: the session is looked up at most once, on demand. */
export function identify(authenticate: Authenticate, site: Site): RequestHandler {
  return (req, _res, next) => {
    let known: Promise<Actor | null> | undefined;
    actors.set(req, () => {
      const presented = presentedToken(req.headers, site);
      known ??= presented ? authenticate(presented.token) : Promise.resolve(null);
      return known;
    });
    next();
  };
}

/** The actor of the request, or null without a valid session. */
export const actorOf = async (req: Request): Promise<Actor | null> =>
  (await actors.get(req)?.()) ?? null;

/** @throws AppError unauthenticated without a valid session. */
export async function requireActor(req: Request): Promise<Actor> {
  const actor = await actorOf(req);
  if (!actor) throw unauthenticated();
  return actor;
}
