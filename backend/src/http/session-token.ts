import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { type Cookie, createCookie, readCookie, type Site } from './cookie.ts';

const SESSION_COOKIE = 'stolas_session';

/** The source of a session's token. Browsers add cookies by themselves; only our own code adds a bearer token. */
export interface PresentedToken {
  token: string;
  source: 'bearer' | 'cookie';
}

const bearerIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

const cookieIn = (headers: IncomingHttpHeaders, site: Site): string | undefined =>
  readCookie(headers, SESSION_COOKIE, site);

/** The session token of a request or socket handshake. A bearer token wins, even an expired one. */
export function presentedToken(headers: IncomingHttpHeaders, site: Site): PresentedToken | null {
  const bearer = bearerIn(headers);
  if (bearer !== undefined) return { token: bearer, source: 'bearer' };
  const cookie = cookieIn(headers, site);
  return cookie ? { token: cookie, source: 'cookie' } : null;
}

/** Every session token of a request: sign-out ends them all. */
export const presentedTokens = (headers: IncomingHttpHeaders, site: Site): string[] => [
  ...new Set([bearerIn(headers), cookieIn(headers, site)].filter((token) => token !== undefined)),
];

/** The cookie with a session's token, used besides the bearer header. */
interface SessionCookie extends Cookie {
  /** Sets it again where the browser has it, so that it lasts as long as the used session. */
  renew: (req: Request, res: Response) => void;
}

export function createSessionCookie(config: Site & { maxAgeMs: number }): SessionCookie {
  const cookie = createCookie({ name: SESSION_COOKIE, maxAgeMs: config.maxAgeMs }, config);
  return {
    ...cookie,
    renew: (req, res) => {
      const token = cookieIn(req.headers, config);
      if (token && token === presentedToken(req.headers, config)?.token)
        cookie.set(req, res, token);
    },
  };
}
