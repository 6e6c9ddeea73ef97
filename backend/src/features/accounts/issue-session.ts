import type { Request, Response } from 'express';
import type { TokenResult } from '../../contract/auth.ts';
import { presentedTokens } from '../../http/index.ts';
import type { SecurityRecord } from '../../security-log.ts';
import type { AccountsFeature } from './feature.ts';
import { openSession, replaceSession } from './sessions.ts';
import type { AtVersion } from './user-record.ts';

/** A sign-in whose credentials were verified. */
interface SignIn {
  req: Request;
  res: Response;
  method: NonNullable<SecurityRecord['method']>;
  /** When the user proved their identity: the default is now, null is unknown. */
  authenticatedAt?: Date | null;
  message?: string;
}

/** Issues a session and gives its token to the browser, in the answer and as a cookie. */
export async function issueSession(
  accounts: AccountsFeature,
  user: AtVersion,
  { req, res, method, authenticatedAt, message }: SignIn,
): Promise<TokenResult> {
  const userAgent = req.get('user-agent') ?? '';
  const token = await openSession(accounts, user, { userAgent, authenticatedAt });
  // The browser uses the new session from now on and could not end the former one.
  const former = presentedTokens(req.headers, accounts.config);
  await Promise.all(former.map((one) => replaceSession(accounts, one)));
  accounts.cookie.set(req, res, token);
  accounts.securityLog.record({ event: 'signed_in', userId: user.id, ip: req.ip, method });
  return { token, ...(message !== undefined && { message }) };
}
