import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Core } from '../define-feature.ts';
import { hashOf } from './secrets.ts';

const MAX_MAILS_PER_HOUR = 10;
const HOUR_SECONDS = 60 * 60;

/** Limits mails with a link to ten an hour per email address, also when several users request them. */
export interface MailQuota {
  /** Counts one mail; false when the email address has reached its limit. */
  take: (email: string, userId: string) => Promise<boolean>;
  /** Reverts the count when the mail was not sent. */
  giveBack: (email: string) => Promise<void>;
}

export function createMailQuota({
  redis,
  securityLog,
  config,
}: Pick<Core, 'redis' | 'securityLog' | 'config'>): MailQuota {
  if (!config.RATE_LIMITS) return { take: async () => true, giveBack: async () => undefined };
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'limit:mail-destination',
    points: MAX_MAILS_PER_HOUR,
    duration: HOUR_SECONDS,
  });
  return {
    take: async (email, userId) => {
      try {
        await limiter.consume(hashOf(email));
        return true;
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        securityLog.record({ event: 'limit_hit', userId, limit: 'mail-destination' });
        return false;
      }
    },
    giveBack: async (email) => {
      await limiter.reward(hashOf(email));
    },
  };
}
