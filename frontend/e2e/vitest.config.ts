import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The tour takes pictures of what no journey reaches.
    include: ['*.test.ts', ...(process.env.SCREENSHOTS ? ['tour.ts'] : [])],
    globalSetup: ['shared-products.ts'],
    // A product and a browser keep a core busy.
    maxWorkers: 2,
    // The files of a worker share the modules that they load.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
