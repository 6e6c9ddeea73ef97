import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

interface CookieSettings {
  name: string;
  path: string;
  maxAgeMs: number;
}

/** A cookie that no script reads and no other site sends along with a call that changes something. */
export interface Cookie {
  read: (headers: IncomingHttpHeaders) => string | undefined;
  set: (req: Request, res: Response, value: string) => void;
  clear: (req: Request, res: Response) => void;
}

export const readCookie = ({ cookie }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie === undefined ? undefined : parseCookie(cookie)[name];

export function createCookie(
  { name, path, maxAgeMs }: CookieSettings,
  { PUBLIC_URL }: { PUBLIC_URL?: string | undefined },
): Cookie {
  const behindTls = PUBLIC_URL?.startsWith('https:') ?? false;
  const options = (req: Request): CookieOptions => ({
    httpOnly: true,
    sameSite: 'lax',
    secure: behindTls || req.secure,
    path,
  });
  return {
    read: (headers) => readCookie(headers, name),
    set: (req, res, value) => {
      res.cookie(name, value, { ...options(req), maxAge: maxAgeMs });
    },
    clear: (req, res) => {
      res.clearCookie(name, options(req));
    },
  };
}
