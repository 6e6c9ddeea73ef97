/** A problem that the user at the terminal can solve: printed as its message, without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}
