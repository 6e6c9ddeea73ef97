import type { ErrorRequestHandler } from 'express';
import { AppError, malformed, unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { requestIdOf } from './request-log.ts';

/** Converts an error of a route into an answer: AppErrors with their message, all others without details. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = toAppError(thrown);
    const requestId = requestIdOf(req);
    if (error.code === 'internal') log.error({ err: thrown, requestId }, 'request failed');
    if (error.code === 'unavailable')
      log.warn({ err: thrown, requestId }, 'dependency unavailable');
    if (res.headersSent) {
      // An answer that was cut must not look complete.
      res.destroy();
      return;
    }
    if (error.retryAfter !== undefined) res.set('Retry-After', String(error.retryAfter));
    res.status(error.status).json(error.body());
  };
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const status = statusOf(thrown);
  if (status === 413) return new AppError('too_large', 'This is too large to be accepted.');
  if (status === 415)
    return new AppError('malformed', 'Send the body in UTF-8 and without compression.');
  if (status !== undefined) return malformed();
  if (isConnectionError(thrown)) return unavailable(thrown);
  return new AppError('internal', 'Something went wrong on our side. Please try again.', {
    cause: thrown,
  });
}

/** The 4xx status that express and its body parser set for errors of the caller. */
function statusOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown)) return undefined;
  const { status } = thrown;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

const CONNECTION_ERROR_NAMES = new Set([
  'MongooseServerSelectionError',
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoWriteConcernError',
  'MaxRetriesPerRequestError',
  'TimeoutError', // of the object store's client; only some of them have a code
]);
const CONNECTION_ERROR_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
/** What MongoDB answers while its replica set elects a primary, a member starts or stops, or a router reaches no primary. */
const ELECTION_CODES = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  9001, // SocketException
  10058, // LegacyNotPrimary
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);
const isElection = ({ name, code }: { name: string; code?: unknown }) =>
  name.startsWith('Mongo') && ELECTION_CODES.has(Number(code));
/** Answers of the object store with a status of 5xx. */
const isStoreFault = (error: Error) => '$fault' in error && error.$fault === 'server';
// ioredis throws plain Errors for these, and mongoose its base class, so only the message distinguishes them.
const CONNECTION_ERROR_SENTENCES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Cannot call .* before initial connection)/;

/** Whether a call failed because a service, such as the database, did not answer, also when that became an answer for the caller. */
export const isUnreachable = (thrown: unknown): boolean =>
  isConnectionError(thrown) || (thrown instanceof AppError && isConnectionError(thrown.cause));

function isConnectionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // The driver wraps the error of a bulk write, such as a single insert of several documents.
  if ('errorResponse' in thrown && isConnectionError(thrown.errorResponse)) return true;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return (
    CONNECTION_ERROR_NAMES.has(thrown.name) ||
    CONNECTION_ERROR_CODES.has(code) ||
    isElection(thrown) ||
    isStoreFault(thrown) ||
    CONNECTION_ERROR_SENTENCES.test(thrown.message)
  );
}
