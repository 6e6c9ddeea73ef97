import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { catalogue } from './catalogue.ts';

const source = (file: string) => path.join(import.meta.dirname, 'src', file);

const testFiles = readdirSync(source(''), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => path.posix.join('src', file.replaceAll('\\', '/')));

/** A module that a test file replaces would stay replaced in the next file of its worker. */
const replacesModules = (file: string) =>
  /\bvi\.mock\(/.test(readFileSync(path.join(import.meta.dirname, file), 'utf8'));

export default defineConfig({
  plugins: [react(), catalogue()],
  test: {
    environment: 'happy-dom',
    alias: [
      { find: /^socket\.io-client$/, replacement: source('realtime/socket-io.fixture.ts') },
      { find: /^zustand$/, replacement: source('lib/zustand.fixture.ts') },
    ],
    setupFiles: ['src/app/test-setup.ts'],
    restoreMocks: true,
    // Only bounds what would never come: some files load whole grammars.
    testTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        // The files of a worker share their modules: loading them again took half of the CPU time.
        test: {
          name: 'shared',
          include: testFiles.filter((file) => !replacesModules(file)),
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: testFiles.filter(replacesModules) } },
    ],
  },
});
