import type { Request } from 'express';
import type { Config } from '../../config.ts';
import { byAddress, byUser, type RateLimit } from '../../http/rate-limit.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

export type Limits = ReturnType<typeof createLimits>;

/**
 * How often who may try. Guessing one account's password is slowed down per address, with waits that double, so that a
 * stranger's guesses do not shut the owner out; over all addresses only a flood of them is slowed down, and mildly.
 */
export function createLimits(rateLimit: RateLimit, config: Pick<Config, 'GUESTS_PER_HOUR'>) {
  const mails = [
    rateLimit({ name: 'mail-address', points: 20, seconds: HOUR, key: byAddress }),
    rateLimit({ name: 'mail-account', points: 5, seconds: HOUR, key: byAccount }),
  ];
  return {
    signIn: [
      rateLimit({ name: 'login-address', points: 60, seconds: 10 * MINUTE, key: byAddress }),
      rateLimit({
        name: 'login-guess',
        points: 5,
        seconds: HOUR,
        key: byAccountAndAddress,
        backOff: { firstSeconds: 10, maxSeconds: 15 * MINUTE },
      }),
      rateLimit({
        name: 'login-flood',
        points: 100,
        seconds: HOUR,
        key: byAccount,
        backOff: { firstSeconds: 1, maxSeconds: 10 },
      }),
    ],
    register: [
      rateLimit({ name: 'register-address', points: 30, seconds: HOUR, key: byAddress }),
      rateLimit({ name: 'register-account', points: 10, seconds: HOUR, key: byAccount }),
    ],
    guest: rateLimit({
      name: 'guest-address',
      points: config.GUESTS_PER_HOUR,
      seconds: HOUR,
      key: byAddress,
    }),
    /** Mails to an address that the caller names. */
    mails,
    /** Mails to the caller's own address. */
    ownMails: rateLimit({ name: 'mail-user', points: 5, seconds: HOUR, key: byUser }),
    links: rateLimit({ name: 'link-address', points: 60, seconds: 10 * MINUTE, key: byAddress }),
    /** Calls that check the password of who is signed in. */
    ownPassword: rateLimit({
      name: 'password-user',
      points: 5,
      seconds: HOUR,
      key: byUser,
      backOff: { firstSeconds: 10, maxSeconds: 15 * MINUTE },
    }),
    account: rateLimit({ name: 'account-user', points: 120, seconds: MINUTE, key: byUser }),
  };
}

/** The address in the body, written in whichever way; the body is not validated yet. */
function byAccount(req: Request): string | undefined {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !('email' in body)) return undefined;
  return typeof body.email === 'string' ? body.email.toLowerCase() : undefined;
}

const byAccountAndAddress = (req: Request): string | undefined => {
  const account = byAccount(req);
  return account && `${account} ${byAddress(req)}`;
};
