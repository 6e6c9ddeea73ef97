import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Core } from '../define-feature.ts';
import { hashOf } from './secrets.ts';

const MAX_MAILS_PER_HOUR = 10;
const HOUR_SECONDS = 60 * 60;

/** Limits mails with a link to ten an hour per email address, also when several users request them. */
export interface MailQuota {
  /**
   * Sends a mail that a user requested, unless its email address has reached the limit. One that was not sent does not count. Rejects as
   * `send` does.
   */
  within: (mail: { to: string; userId: string }, send: () => Promise<void>) => Promise<void>;
}

export function createMailQuota({
  redis,
  securityLog,
  config,
}: Pick<Core, 'redis' | 'securityLog' | 'config'>): MailQuota {
  if (!config.RATE_LIMITS) return { within: (_, send) => send() };
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'limit:mail-destination',
    points: MAX_MAILS_PER_HOUR,
    duration: HOUR_SECONDS,
  });
  const take = async (address: string, userId: string) => {
    try {
      await limiter.consume(address);
      return true;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      securityLog.record({ event: 'limit_hit', userId, limit: 'mail-destination' });
      return false;
    }
  };
  return {
    within: async ({ to, userId }, send) => {
      const address = hashOf(to);
      if (!(await take(address, userId))) return;
      await send().catch(async (error: unknown) => {
        await limiter.reward(address);
        throw error;
      });
    },
  };
}
