import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Divides long work into turns of the event loop: await the returned function with the amount of work done, and other work of the process
 * runs whenever `unitsPerTurn` have been done since it last did.
 */
export function turnsOf(unitsPerTurn: number): (units: number) => Promise<void> {
  let left = unitsPerTurn;
  return async (units) => {
    left -= units;
    if (left > 0) return;
    await nextTurn();
    left = unitsPerTurn;
  };
}
