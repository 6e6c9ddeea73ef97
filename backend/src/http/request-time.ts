import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

/** Maximum time for a request to arrive, equal to Node's own limit. */
export const REQUEST_MS = 300_000;
/** As REQUEST_MS, for a form with a large file. No request may take longer. */
export const FORM_MS = 3_600_000;

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

function bound(req: IncomingMessage, ms: number): void {
  clearTimeout(timers.get(req));
  const timer = setTimeout(() => req.complete || req.destroy(), ms).unref();
  timers.set(req, timer);
  req.once('close', () => clearTimeout(timer));
}

/** Ends requests whose body has not arrived in time. */
export const boundRequestTime =
  (ms = REQUEST_MS): RequestHandler =>
  (req, _res, next) => {
    bound(req, ms);
    next();
  };

/** Extends a request's time to that of a form, for users who may upload. */
export const allowFormTime = (req: IncomingMessage): void => bound(req, FORM_MS);
