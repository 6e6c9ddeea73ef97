import { defineConfig } from 'vitest/config';
import { longestFirst } from '../../backend/test/longest-first.ts';

/** The long tests, and no others: `npm run test:soak`. */
const isSoak = process.env.SOAK === 'true';
const SOAK_TESTS = '*.soak.test.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The tour pictures the screens that no journey reaches.
    include: [isSoak ? SOAK_TESTS : '*.test.ts', ...(process.env.SCREENSHOTS ? ['tour.ts'] : [])],
    exclude: isSoak ? [] : [SOAK_TESTS],
    passWithNoTests: isSoak,
    globalSetup: ['shared-products.ts'],
    // A journey with its product and browser keeps two thirds of a core busy.
    maxWorkers: 3,
    // The deletion of an account waits a minute for the second check.
    sequence: { sequencer: longestFirst('privacy.test.ts') },
    // The files of a worker share the modules that they load.
    isolate: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
