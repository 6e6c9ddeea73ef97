import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/services.ts'],
    setupFiles: ['test/isolate.ts'],
    // Most files wait for processes most of the time.
    maxWorkers: 3,
    // The files of a worker share the modules that they load: loading them anew took a third of the time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Processes are waited for, never timed: this only bounds what would never come.
    expect: { poll: { timeout: 15_000 } },
    restoreMocks: true,
  },
});
