import { expect } from 'vitest';

/**
 * Expects every call to reject with an error that has these properties. Concurrent calls are awaited together: one that rejects while the
 * test still waits for another is an unhandled rejection, which fails the run.
 */
export async function expectRejections(
  calls: readonly Promise<unknown>[],
  error: object,
): Promise<void> {
  await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
}
