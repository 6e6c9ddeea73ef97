import type { SignInError } from '../../../contract/auth.ts';

/** Why a sign-in by redirect came to nothing; /login has a sentence for it. */
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

/** The libraries hang token answers, claims and nonces on their errors; a log may have what they say, and no more. */
function withoutDetails(error: Error): Error {
  const said = new Error(error.message, causedBy(error.cause));
  const code = 'code' in error && { code: error.code };
  return Object.assign(said, { name: error.name, stack: error.stack ?? '' }, code);
}
