import type { Request, RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import type { Site } from './cookie.ts';
import { presentedToken } from './session-token.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const publicOrigin = ({ PUBLIC_URL }: Site) =>
  PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).origin;

/**
 * Whether the request comes from the product's own pages, by Origin and Host. The scheme is not compared, because a proxy may terminate
 * TLS. A call without an Origin comes from no browser.
 */
export function createOriginCheck(site: Site) {
  const ours = publicOrigin(site);
  return ({ origin, host }: { origin?: string | undefined; host?: string | undefined }): boolean =>
    origin === undefined ||
    origin === ours ||
    (URL.canParse(origin) && new URL(origin).host === host);
}

/**
 * Refuses state-changing calls that another site made a browser send with its cookie. Browsers send Sec-Fetch-Site or Origin with every
 * such call; a call with neither comes from no browser.
 */
export function sameOrigin(site: Site): RequestHandler {
  const ours = publicOrigin(site);
  const isOwnOrigin = createOriginCheck(site);
  const allowed = (req: Request): boolean => {
    if (SAFE_METHODS.has(req.method)) return true;
    if (presentedToken(req.headers, site)?.source === 'bearer') return true;
    const relation = req.get('sec-fetch-site');
    if (relation === undefined) return isOwnOrigin(req.headers);
    if (relation === 'same-origin' || relation === 'none') return true;
    // Another value is still ours when a proxy serves the page under the public URL.
    return ours !== undefined && req.headers.origin === ours;
  };
  return (req, _res, next) => {
    if (allowed(req)) next();
    else next(new AppError('forbidden', 'This call was made by another site, and is refused.'));
  };
}
