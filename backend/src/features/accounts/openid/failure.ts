import type { SignInError } from '../../../contract/auth.ts';

/** Why a sign-in by redirect came to nothing; /login has a sentence for it. */
export class SignInFailed extends Error {
  override name = 'SignInFailed';
  readonly reason: SignInError;

  constructor(reason: SignInError, cause?: unknown) {
    super(`The sign-in failed: ${reason}.`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
