/** Something the person at the terminal has to put right: shown as one sentence, never as a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}
