// Vitest's set-up closes a test file's resources at its end. The files of a worker share their modules, so a hook in a shared module would
// run only for the first file.
const cleanups: (() => unknown)[] = [];

/** Registers `cleanup` for the end of the current test file. Cleanups run in reverse order. */
export const atEnd = (cleanup: () => unknown): void => {
  cleanups.push(cleanup);
};

/** Runs all cleanups that were registered since the last call. */
export async function cleanUp(): Promise<void> {
  // The last started one is stopped first, because it may need the others.
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}
