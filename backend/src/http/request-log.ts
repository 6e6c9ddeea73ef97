import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Log } from '../log.ts';

/** The id in the X-Request-Id header of the answer and in every log line about the request. */
export const requestIdOf = ({ id }: Request): string => (typeof id === 'string' ? id : '');

/** Who knows the id of a public link or of a receipt can open it. Routes ignore the case of letters. */
const withoutKeys = (path: string): string =>
  path.replace(/(\/(?:s|shares|deleted|deletions)\/)[\w-]{22,}/gi, '$1…');

/**
 * Gives each request an id and logs one line when it ends, without body, query and headers. User id and IP address are only in the security
 * log.
 */
export function requestLog(log: Log): RequestHandler {
  const describe = (req: Request, res: Response, { ms }: { ms: number }) => {
    const [path = ''] = req.originalUrl.split('?', 1);
    return {
      method: req.method,
      path: withoutKeys(path),
      status: res.writableFinished ? res.statusCode : 'aborted',
      ms,
    };
  };
  return pinoHttp<Request, Response>({
    logger: log,
    genReqId: (_req, res) => {
      const id = randomUUID();
      res.setHeader('X-Request-Id', id);
      return id;
    },
    customAttributeKeys: { reqId: 'requestId', responseTime: 'ms' },
    quietReqLogger: true,
    quietResLogger: true,
    customSuccessObject: describe,
    // The error handler logs the failure; here pino-http would log an invented error with a stack.
    customErrorObject: (req, res, _error, values: { ms: number }) => describe(req, res, values),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
}
