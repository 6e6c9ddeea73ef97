import { expect } from 'vitest';

/**
 * Each of these calls rejects with such an error. They run at once and have to be awaited at once: a call that rejects
 * while the test still waits for another one is an unhandled rejection, which fails the run.
 */
export async function expectRejections(
  calls: readonly Promise<unknown>[],
  error: object,
): Promise<void> {
  await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
}
