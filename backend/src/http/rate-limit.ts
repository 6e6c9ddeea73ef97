import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Redis } from '../db/redis.ts';
import { AppError } from '../errors.ts';
import type { SecurityLog } from '../security-log.ts';
import { type BackOff, createTries, type Tries } from './back-off.ts';
import { addressKey } from './client-address.ts';
import { actorOf, requireActor } from './identify.ts';

export interface RateRule {
  /** Rules with the same name share their count. */
  name: string;
  /** Calls per key within `seconds`. */
  points: number;
  seconds: number;
  /** The counted key; undefined is not counted. Only its hash is stored. */
  key: (req: Request) => string | undefined | Promise<string | undefined>;
  /**
   * With it, failures are counted instead of calls: `points` of them are free, after that each attempt costs a wait that doubles. A
   * successful call (below 400) clears the count.
   */
  backOff?: BackOff;
  /** Counts while the route reads: the route awaits `admission` before it changes anything. */
  beside?: boolean;
}

const admissions = new WeakMap<Request, Promise<void>>();

/** Rejects with the refusal of a limit that counts beside the route, the first of several. */
export const admission = async (req: Request): Promise<void> => admissions.get(req);

/** Makes a middleware of a rule. Calls over the limit get 429 `too_many_requests` with Retry-After. */
export type RateLimit = (rule: RateRule) => RequestHandler;

export interface RateLimitOptions {
  redis: Redis;
  /** False admits everything (load tests). */
  enabled: boolean;
  securityLog: SecurityLog;
}

/** Counts in Redis, so that all web processes share one count; while Redis is unreachable each counts by itself. */
export function createRateLimit({ redis, enabled, securityLog }: RateLimitOptions): RateLimit {
  if (!enabled) return () => (_req, _res, next) => next();
  return (rule) => {
    const tries = createRuleTries(redis, rule);
    const count = async (req: Request, res: Response) => {
      const key = await rule.key(req);
      if (key === undefined) return;
      const hashed = hashKey(key);
      try {
        await tries.take(hashed);
      } catch (refusal) {
        if (isFirstRefusal(refusal, rule)) await recordLimitHit(securityLog, rule.name, req);
        throw refusalError(refusal);
      }
      if (rule.backOff) forgetOnSuccess(tries, hashed, res);
    };
    return async (req, res, next) => {
      const counted = count(req, res);
      if (rule.beside) {
        // A route that ends before any change does not await it.
        const all = Promise.all([admissions.get(req), counted]).then(() => undefined);
        all.catch(() => undefined);
        admissions.set(req, all);
      } else await counted;
      next();
    };
  };
}

/** Keys are stored as hashes: they may hold email addresses. */
export const hashKey = (key: string): string =>
  createHash('sha256').update(key).digest('base64url');

/** Whether to record a refusal: only the first one of a window. */
export const isFirstRefusal = (refusal: unknown, { points }: { points: number }): boolean =>
  refusal instanceof RateLimiterRes && refusal.consumedPoints <= points + 1;

/** Records in the security log that the limit `limit` refused a request. */
export async function recordLimitHit(
  securityLog: SecurityLog,
  limit: string,
  req: Request,
): Promise<void> {
  const actor = await actorOf(req).catch(() => null);
  securityLog.record({ event: 'limit_hit', limit, userId: actor?.userId, ip: req.ip });
}

function createRuleTries(redis: Redis, { name, points, seconds, backOff }: RateRule): Tries {
  const limiter = createLimiter(redis, { name, points, seconds });
  if (!backOff)
    return { take: (key) => limiter.consume(key), forget: (key) => limiter.delete(key) };
  const gate = { name: `${name}-gate`, points: 1, seconds: backOff.maxSeconds };
  return createTries({
    counter: limiter,
    gate: createLimiter(redis, gate),
    free: points,
    backOff,
  });
}

type Count = Pick<RateRule, 'name' | 'points' | 'seconds'>;

/** Counts in Redis, and in memory while Redis is unreachable. */
export function createLimiter(redis: Redis, { name, points, seconds }: Count): RateLimiterAbstract {
  const limits = { keyPrefix: `limit:${name}`, points, duration: seconds };
  return new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
}

/** The AppError for a limiter's refusal; other errors of a limiter stay unchanged. */
export function refusalError(refusal: unknown): unknown {
  return refusal instanceof RateLimiterRes ? tooManyRequests(refusal.msBeforeNext) : refusal;
}

export const tooManyRequests = (waitMs: number): AppError =>
  new AppError('too_many_requests', 'Too many tries. Please wait a little and try again.', {
    retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

function forgetOnSuccess(tries: Tries, key: string, res: Response): void {
  res.once('finish', () => {
    // If clearing fails, the limit is slightly stricter.
    if (res.statusCode < 400) tries.forget(key).catch(() => undefined);
  });
}

/** Counts per signed-in user; 401 without a session. */
export const byUser = async (req: Request): Promise<string> => (await requireActor(req)).userId;

/** Counts per IP address; an IPv6 /64 counts as one. */
export const byAddress = (req: Request): string => addressKey(req.ip ?? '');
