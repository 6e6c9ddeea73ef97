import type { Request, Response } from 'express';
import type { TokenResult } from '../../contract/auth.ts';
import { presentedTokens, type SessionCookie } from '../../http/index.ts';
import type { SecurityLog, SecurityRecord } from '../../security-log.ts';
import type { AccountsService } from './service.ts';
import type { AtVersion } from './user-record.ts';

/** A sign-in whose credentials were verified. */
export interface SignInCall {
  req: Request;
  res: Response;
  method: NonNullable<SecurityRecord['method']>;
  /** When the user proved who they are; now unless told otherwise, null when it is not known. */
  authenticatedAt?: Date | null;
}

/** Issues a session and gives its token to the browser, in the answer and as a cookie. */
export type IssueSession = (
  call: SignInCall,
  user: AtVersion,
  message?: string,
) => Promise<TokenResult>;

interface IssueSessionDeps {
  config: { PUBLIC_URL?: string | undefined };
  accounts: Pick<AccountsService, 'signIn' | 'replaceSession'>;
  cookie: SessionCookie;
  securityLog: SecurityLog;
}

export function createIssueSession({
  accounts,
  config,
  cookie,
  securityLog,
}: IssueSessionDeps): IssueSession {
  return async ({ req, res, method, authenticatedAt }, user, message) => {
    const token = await accounts.signIn(user, req.get('user-agent') ?? '', authenticatedAt);
    // The browser uses the new session from now on and could not sign out of the former one.
    await Promise.all(presentedTokens(req.headers, config).map(accounts.replaceSession));
    cookie.set(req, res, token);
    securityLog.record({ event: 'signed_in', userId: user.id, ip: req.ip, method });
    return { token, ...(message !== undefined && { message }) };
  };
}
