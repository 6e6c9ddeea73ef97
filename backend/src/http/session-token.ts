import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

export const SESSION_COOKIE = 'stolas_session';

/** Where a session's token was found. A browser adds a cookie by itself, a bearer token only our own code adds. */
export interface PresentedToken {
  token: string;
  source: 'bearer' | 'cookie';
}

const bearerIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

const cookieIn = ({ cookie }: IncomingHttpHeaders): string | undefined =>
  cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE];

/** The session token of a request or socket handshake. A bearer token wins, even one that is over. */
export function presentedToken(headers: IncomingHttpHeaders): PresentedToken | null {
  const bearer = bearerIn(headers);
  if (bearer !== undefined) return { token: bearer, source: 'bearer' };
  const cookie = cookieIn(headers);
  return cookie ? { token: cookie, source: 'cookie' } : null;
}

/** Every session token of a request: sign-out ends them all. */
export const presentedTokens = (headers: IncomingHttpHeaders): string[] => [
  ...new Set([bearerIn(headers), cookieIn(headers)].filter((token) => token !== undefined)),
];

/** Reads and writes the httpOnly cookie that carries a session's token besides the bearer header. */
export interface SessionCookie {
  set: (req: Request, res: Response, token: string) => void;
  clear: (req: Request, res: Response) => void;
}

export function createSessionCookie(config: {
  PUBLIC_URL?: string | undefined;
  maxAgeMs: number;
}): SessionCookie {
  const behindTls = config.PUBLIC_URL?.startsWith('https:') ?? false;
  const options = (req: Request): CookieOptions => ({
    httpOnly: true,
    sameSite: 'lax',
    secure: behindTls || req.secure,
    path: '/',
  });
  return {
    set: (req, res, token) => {
      res.cookie(SESSION_COOKIE, token, { ...options(req), maxAge: config.maxAgeMs });
    },
    clear: (req, res) => {
      res.clearCookie(SESSION_COOKIE, options(req));
    },
  };
}
