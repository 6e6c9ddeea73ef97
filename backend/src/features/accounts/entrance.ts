import type { Request, Response } from 'express';
import type { TokenResult } from '../../contract/auth.ts';
import type { SessionCookie } from '../../http/session-token.ts';
import type { AccountsService } from './service.ts';
import type { UserRecord } from './user-model.ts';

/** A call at whose end somebody is signed in. */
export interface EntryCall {
  req: Request;
  res: Response;
}

/** Opens the session of somebody whose identity is proven, and hands its token to the browser in both ways. */
export type Enter = (call: EntryCall, user: UserRecord, message?: string) => Promise<TokenResult>;

export function createEntrance(
  accounts: Pick<AccountsService, 'signIn'>,
  cookie: SessionCookie,
): Enter {
  return async ({ req, res }, user, message) => {
    const token = await accounts.signIn(user, req.get('user-agent') ?? '');
    cookie.set(req, res, token);
    return { token, ...(message !== undefined && { message }) };
  };
}
