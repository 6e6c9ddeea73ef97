import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Log } from '../log.ts';

const ids = new WeakMap<Request, string>();

/** The id that stands in the X-Request-Id header of the answer and in every log line about the request. */
export const requestIdOf = (req: Request): string => ids.get(req) ?? '';

/** Gives each request an id and logs one line when it is over: no body, no query, nothing a person wrote. */
export function requestLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID();
    const { method, path } = req;
    const startedAt = performance.now();
    ids.set(req, requestId);
    res.set('X-Request-Id', requestId);
    res.once('close', () => {
      const ms = Math.round(performance.now() - startedAt);
      const outcome = res.writableFinished ? { status: res.statusCode } : { status: 'aborted' };
      log.info({ requestId, method, path, ...outcome, ms }, 'request');
    });
    next();
  };
}
