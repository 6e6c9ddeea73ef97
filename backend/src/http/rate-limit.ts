import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Redis } from '../db/redis.ts';
import { AppError } from '../errors.ts';
import { type BackOff, createTries, type Tries } from './back-off.ts';
import { requireUser } from './require-user.ts';

export interface RateRule {
  /** Rules that share a name share their count. */
  name: string;
  /** Calls that one key may make within `seconds`. */
  points: number;
  seconds: number;
  /** Who is counted; undefined is not counted. What it returns is stored as a hash only. */
  key: (req: Request) => string | undefined | Promise<string | undefined>;
  /**
   * With it failures count, not calls: `points` of them are free, after that each try costs a wait that doubles. A call
   * that succeeds (below 400) makes the earlier failures forgotten.
   */
  backOff?: BackOff;
}

/** Makes a middleware of a rule. It answers 429 `too_many_requests` with Retry-After to who is over it. */
export type RateLimit = (rule: RateRule) => RequestHandler;

/**
 * Counts in Redis, so that all web processes share one count; while Redis is away each counts by itself.
 * `enabled: false` lets everything pass (load tests).
 */
export function createRateLimit({ redis, enabled }: { redis: Redis; enabled: boolean }): RateLimit {
  if (!enabled) return () => (_req, _res, next) => next();
  return (rule) => {
    const tries = createRuleTries(redis, rule);
    return async (req, res, next) => {
      const key = await rule.key(req);
      if (key === undefined) return next();
      const hashed = createHash('sha256').update(key).digest('base64url');
      await tries.take(hashed).catch(refuse);
      if (rule.backOff) forgetOnSuccess(tries, hashed, res);
      next();
    };
  };
}

function createRuleTries(redis: Redis, { name, points, seconds, backOff }: RateRule): Tries {
  const limiter = createLimiter(redis, { name, points, seconds });
  if (backOff) {
    const gate = { name: `${name}-gate`, points: 1, seconds: backOff.maxSeconds };
    return createTries({
      counter: limiter,
      gate: createLimiter(redis, gate),
      free: points,
      backOff,
    });
  }
  return {
    take: async (key) => {
      await limiter.consume(key);
    },
    forget: async (key) => {
      await limiter.delete(key);
    },
  };
}

type Count = Pick<RateRule, 'name' | 'points' | 'seconds'>;

function createLimiter(redis: Redis, { name, points, seconds }: Count): RateLimiterAbstract {
  const limits = { keyPrefix: `limit:${name}`, points, duration: seconds };
  return new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
}

function refuse(refusal: unknown): never {
  if (!(refusal instanceof RateLimiterRes)) throw refusal;
  throw new AppError('too_many_requests', 'Too many tries. Please wait a little and try again.', {
    retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
  });
}

function forgetOnSuccess(tries: Tries, key: string, res: Response): void {
  res.once('finish', () => {
    // Failures that are not forgotten only make the limit a little stricter.
    if (res.statusCode < 400) tries.forget(key).catch(() => undefined);
  });
}

/** Counts per signed-in person; 401 without a session. */
export const byUser = async (req: Request): Promise<string> => (await requireUser(req)).user.id;

/** Counts per address. An IPv6 household owns a whole /64, so that is what counts as one address. */
export const byAddress = (req: Request): string => {
  const ip = (req.ip ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIPv6(ip) ? network64(ip) : ip;
};

function network64(ip: string): string {
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const missing =
    tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(missing).fill('0')];
  return `${all.slice(0, 4).join(':')}::/64`.toLowerCase();
}
