import type { RequestHandler } from 'express';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { actorOf } from './identify.ts';
import {
  byAddress,
  createLimiter,
  hashKey,
  isFirstRefusal,
  type RateLimitOptions,
  recordLimitHit,
  refusalError,
  tooManyRequests,
} from './rate-limit.ts';

/** Calls per minute over all routes together; a page makes about ten when it opens. */
export const GENERAL_LIMITS = { perUser: 600, perAddress: 2_400 };

const SECONDS = 60;

/**
 * The limit of every route per user and per IP address; stricter limits are in the routes. It adds no latency: the IP address is counted
 * during the lookup of the session, and the user while the route runs, so that the call after the limit is refused.
 */
export function createGeneralLimit(
  { redis, enabled, securityLog }: RateLimitOptions,
  { perUser, perAddress } = GENERAL_LIMITS,
): RequestHandler {
  if (!enabled) return (_req, _res, next) => next();
  const addressRule = { name: 'address', points: perAddress, seconds: SECONDS };
  const addresses = createLimiter(redis, addressRule);
  const users = createLimiter(redis, { name: 'user', points: perUser, seconds: SECONDS });
  const refusedUntil = new Map<string, number>();

  const refuseUser = (userId: string, ms: number) => {
    const isFirst = !refusedUntil.has(userId);
    refusedUntil.set(userId, Date.now() + ms);
    if (isFirst) setTimeout(() => refusedUntil.delete(userId), ms).unref();
    return isFirst;
  };

  return async (req, _res, next) => {
    // The route handles a failed lookup of the session.
    const session = actorOf(req).catch(() => null);
    const count = addresses.consume(hashKey(byAddress(req))).catch(async (refusal: unknown) => {
      if (isFirstRefusal(refusal, addressRule)) await recordLimitHit(securityLog, 'address', req);
      throw refusalError(refusal);
    });
    const [actor] = await Promise.all([session, count]);
    const userId = actor?.userId;
    if (userId === undefined) return next();
    const waitMs = (refusedUntil.get(userId) ?? 0) - Date.now();
    if (waitMs > 0) throw tooManyRequests(waitMs);
    users.consume(hashKey(userId)).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes && refuseUser(userId, refusal.msBeforeNext))
        void recordLimitHit(securityLog, 'user', req);
    });
    next();
  };
}
