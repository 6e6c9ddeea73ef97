import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

/** The settings that cookies depend on. */
export interface Site {
  /** The URL that users open; without it, the Host header decides. */
  PUBLIC_URL?: string | undefined;
}

interface CookieSettings {
  /** The name without TLS; behind TLS it gets the prefix `__Host-`. */
  name: string;
  maxAgeMs: number;
}

/** A cookie for the whole site that scripts cannot read and that other sites' state-changing calls do not send. */
export interface Cookie {
  read: (headers: IncomingHttpHeaders) => string | undefined;
  set: (req: Request, res: Response, value: string) => void;
  /** Clears it under both names, also the one from before the site moved to TLS. */
  clear: (req: Request, res: Response) => void;
}

/** Whether browsers reach the site by https, even if through a proxy. */
export const isBehindTls = ({ PUBLIC_URL }: Site): boolean => /^https:/i.test(PUBLIC_URL ?? '');

/**
 * The name of a cookie on the site. Browsers accept the prefix `__Host-` only from the same host over TLS, so that no other subdomain can
 * set the cookie (RFC 6265bis, 4.1.3.2).
 */
const cookieName = (name: string, site: Site): string =>
  isBehindTls(site) ? `__Host-${name}` : name;

export const readCookie = (
  { cookie }: IncomingHttpHeaders,
  name: string,
  site: Site,
): string | undefined =>
  cookie === undefined ? undefined : parseCookie(cookie)[cookieName(name, site)];

export function createCookie({ name, maxAgeMs }: CookieSettings, site: Site): Cookie {
  const options = (req: Request): CookieOptions => ({
    httpOnly: true,
    sameSite: 'lax',
    secure: isBehindTls(site) || req.secure,
    path: '/',
  });
  return {
    read: (headers) => readCookie(headers, name, site),
    set: (req, res, value) => {
      res.cookie(cookieName(name, site), value, { ...options(req), maxAge: maxAgeMs });
    },
    clear: (req, res) => {
      for (const each of new Set([name, cookieName(name, site)]))
        res.clearCookie(each, options(req));
    },
  };
}
