import type { Request } from 'express';
import { byAddress, byUser, type RateLimit } from '../../http/index.ts';
import type { AccountsFeature } from './feature.ts';
import { readLink } from './links.ts';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
/** The backoff for one IP address that guesses at one account. */
const GUESS_BACK_OFF = { firstSeconds: 10, maxSeconds: 15 * MINUTE_SECONDS };
/** The backoff for all guesses at one account; short, so that attackers cannot lock its user out. */
const FLOOD_BACK_OFF = { firstSeconds: 1, maxSeconds: 10 };

export type Limits = ReturnType<typeof createLimits>;

/**
 * The rate limits of sign-in. Guesses are counted per account, for any spelling of its email address, and a success clears only the
 * failures of that account.
 */
export function createLimits(accounts: AccountsFeature, rateLimit: RateLimit) {
  const { config, users } = accounts;
  const byAccount = async (req: Request): Promise<string | undefined> => {
    const email = emailIn(req);
    return email && ((await users.findByEmail(email))?.id ?? email);
  };
  const byAccountAndAddress = async (req: Request): Promise<string | undefined> => {
    const account = await byAccount(req);
    return account && `${account} ${byAddress(req)}`;
  };
  /** The account of a confirmation link that its password confirms. */
  const byLink = async (req: Request): Promise<string | undefined> => {
    const { token, password } = bodyOf(req);
    if (typeof token !== 'string' || password === undefined) return undefined;
    const link = await readLink(accounts, 'confirm', token).catch(() => undefined);
    return link?.userId;
  };
  const guesses = (action: string) => [
    rateLimit({
      name: `${action}-guess`,
      points: 5,
      seconds: HOUR_SECONDS,
      key: byAccountAndAddress,
      backOff: GUESS_BACK_OFF,
    }),
    rateLimit({
      name: `${action}-flood`,
      points: 100,
      seconds: HOUR_SECONDS,
      key: byAccount,
      backOff: FLOOD_BACK_OFF,
    }),
  ];
  const perAddress = (name: string, points: number, seconds: number) =>
    rateLimit({ name, points, seconds, key: byAddress });

  return {
    signIn: [perAddress('login-address', 60, 10 * MINUTE_SECONDS), ...guesses('login')],
    register: [perAddress('register-address', 30, HOUR_SECONDS), ...guesses('register')],
    guest: perAddress('guest-address', config.GUESTS_PER_HOUR, HOUR_SECONDS),
    /** Mails to an email address in the request; the mails per address are limited where they are sent. */
    mails: perAddress('mail-address', 20, HOUR_SECONDS),
    /** Mails to the caller's own address. */
    ownMails: rateLimit({ name: 'mail-user', points: 5, seconds: HOUR_SECONDS, key: byUser }),
    /** Reads of mails in a folder, which the page repeats until one exists. */
    mailedLinks: perAddress('mailed-link-address', 300, MINUTE_SECONDS),
    links: perAddress('link-address', 60, 10 * MINUTE_SECONDS),
    /** Calls that check the password of the signed-in user. */
    ownPassword: limitOwnPassword(rateLimit),
    /** Calls that check the password of a mailed link's account. */
    linkPassword: limitPassword(rateLimit, byLink),
    account: rateLimit({ name: 'account-user', points: 120, seconds: MINUTE_SECONDS, key: byUser }),
  };
}

const limitPassword = (rateLimit: RateLimit, key: (req: Request) => Promise<string | undefined>) =>
  rateLimit({
    name: 'password-user',
    points: 5,
    seconds: HOUR_SECONDS,
    key,
    backOff: GUESS_BACK_OFF,
  });

/** For calls that check the password of the signed-in user, which share one count. */
export const limitOwnPassword = (rateLimit: RateLimit) => limitPassword(rateLimit, byUser);

/** The body is not validated yet. */
function bodyOf(req: Request): Record<string, unknown> {
  const body: unknown = req.body;
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}

function emailIn(req: Request): string | undefined {
  const { email } = bodyOf(req);
  return typeof email === 'string' && email !== '' ? email.toLowerCase() : undefined;
}
