import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { catalogue } from './catalogue.ts';

export default defineConfig({
  plugins: [react(), catalogue()],
  test: {
    name: 'frontend',
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/app/test-setup.ts'],
    restoreMocks: true,
    // Only bounds what would never come: some files load whole grammars.
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    unstubGlobals: true,
  },
});
