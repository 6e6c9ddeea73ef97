/** The provider refuses a request: the card was declined, or the request cannot be fulfilled. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  constructor(
    readonly reason: 'declined' | 'invalid' | 'missing' | 'key_reused',
    message: string,
  ) {
    super(message);
  }
}

export const declined = (): RefusedError => new RefusedError('declined', 'Your card was declined.');
export const invalid = (message: string): RefusedError => new RefusedError('invalid', message);
export const keyReused = (): RefusedError =>
  new RefusedError('key_reused', 'This idempotency key was used for something else.');
export const missing = (what: string, id: string): RefusedError =>
  new RefusedError('missing', `No such ${what}: '${id}'`);
