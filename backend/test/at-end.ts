// What a test file has opened is closed at its end by Vitest's set-up. The files of a worker share their modules, so that a hook of
// a shared module would run for the first of them alone.
const cleanups: (() => unknown)[] = [];

/** Runs `cleanup` when the test file that is running has ended, before what was registered earlier. */
export const atEnd = (cleanup: () => unknown): void => {
  cleanups.push(cleanup);
};

/** Runs everything that was registered since the last call. */
export async function cleanUp(): Promise<void> {
  // The last started is stopped first, because it may need the others.
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}
