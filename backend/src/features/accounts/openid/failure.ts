import type { SignInError } from '../../../contract/auth.ts';
import { AppError } from '../../../errors.ts';

/** The reason of a failed sign-in by redirect; /login has a sentence for each. */
export class SignInFailedError extends Error {
  override name = 'SignInFailedError';
  readonly reason: SignInError;

  constructor(reason: SignInError, cause?: unknown) {
    super(`The sign-in failed: ${reason}.`, causedBy(cause));
    this.reason = reason;
  }
}

const causedBy = (error: unknown) =>
  error instanceof Error ? { cause: withoutDetails(error) } : undefined;

/** The libraries attach token answers, ID token claims and nonces to their errors; only the messages may be logged. */
function withoutDetails(error: Error): Error {
  const said = new Error(error.message, causedBy(error.cause));
  const code = 'code' in error && { code: error.code };
  return Object.assign(said, { name: error.name, stack: error.stack ?? '' }, code);
}

const ACCOUNT_REASONS = ['email_unverified', 'provider_conflict'] as const;

/** The `error` of /login for a failed sign-in. */
export function reasonOf(error: unknown): SignInError {
  if (error instanceof SignInFailedError) return error.reason;
  const code = error instanceof AppError ? error.code : undefined;
  return ACCOUNT_REASONS.find((reason) => reason === code) ?? 'failed';
}
