import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { type Cookie, createCookie, readCookie } from './cookie.ts';

export const SESSION_COOKIE = 'stolas_session';

/** Where a session's token was found. A browser adds a cookie by itself, a bearer token only our own code adds. */
export interface PresentedToken {
  token: string;
  source: 'bearer' | 'cookie';
}

const bearerIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

const cookieIn = (headers: IncomingHttpHeaders): string | undefined =>
  readCookie(headers, SESSION_COOKIE);

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

/** The cookie that carries a session's token besides the bearer header. */
export interface SessionCookie extends Omit<Cookie, 'read'> {
  /** Sets it again where the browser has it, so that it lasts as long as the session that was just used. */
  renew: (req: Request, res: Response) => void;
}

export function createSessionCookie(config: {
  PUBLIC_URL?: string | undefined;
  maxAgeMs: number;
}): SessionCookie {
  const settings = { name: SESSION_COOKIE, path: '/', maxAgeMs: config.maxAgeMs };
  const { set, clear } = createCookie(settings, config);
  return {
    set,
    clear,
    renew: (req, res) => {
      const token = cookieIn(req.headers);
      if (token && token === presentedToken(req.headers)?.token) set(req, res, token);
    },
  };
}
