import { ERROR_STATUS, type ErrorBody, type ErrorCode } from './contract/errors.ts';

/** An error for callers: its code determines the status, and its message says what to do. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** Seconds after which a retry makes sense, for the Retry-After header. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  body(): ErrorBody {
    const { message, code, details } = this;
    return details ? { message, code, details } : { message, code };
  }
}

export const notFound = (what: string): AppError =>
  new AppError('not_found', `This ${what} does not exist, or it is not yours.`);

/** One field of what was sent is wrong; the page shows the sentence beside it. */
export const invalidField = (field: string, message: string, cause?: unknown): AppError =>
  new AppError('invalid_field', message, { details: { field }, cause });

export const unauthenticated = (): AppError => new AppError('unauthenticated', 'Sign in to go on.');

export const malformed = (): AppError =>
  new AppError('malformed', 'The request could not be read: it is malformed.');

export const unavailable = (cause?: unknown): AppError =>
  new AppError('unavailable', 'This does not work right now. Please try again in a few seconds.', {
    retryAfter: 2,
    cause,
  });

/** For `catch`: the caller may try again. */
export function orUnavailable(error: unknown): never {
  throw unavailable(error);
}
