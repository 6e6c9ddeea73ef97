import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';

/** Signs of a test that reaches a service or starts a process: addresses in the environment, or a child process. */
const SERVICES = /\bprocess\.env\b|node:child_process/;
const IMPORT = /\bfrom '(\.[^']+)'/g;
const HELPER = /(^|\/)test\/|\.(fixture|helper)\.ts$/;

/** The long tests, and no others: `npm run test:soak`. */
const isSoak = process.env.SOAK === 'true';

const testFiles = ['src', 'test'].flatMap((folder) =>
  readdirSync(path.join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file.endsWith('.soak.test.ts') === isSoak)
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/'))),
);

const found = new Map<string, boolean>();

/** Whether a test file uses services, itself or by imported helpers. A test without them gets no addresses. */
function usesServices(file: string): boolean {
  const known = found.get(file);
  if (known !== undefined) return known;
  // A preliminary answer, for helpers that import each other.
  found.set(file, false);
  const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
  const helpers = [...text.matchAll(IMPORT)]
    .map(([, name = '']) => path.posix.join(path.posix.dirname(file), name))
    .filter((name) => HELPER.test(name) && /\.m?ts$/.test(name) && !name.startsWith('..'));
  const uses = SERVICES.test(text) || helpers.some(usesServices);
  found.set(file, uses);
  return uses;
}

const common = {
  // The files of a worker share their modules: loading them again took a third of the time.
  isolate: false,
  // Only bound what would never come: machines differ by a factor of five. No test sets shorter ones.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000 } },
  restoreMocks: true,
};

export default defineConfig({
  test: {
    // Most files wait for processes most of the time.
    maxWorkers: 3,
    sequence: { sequencer: longestFirst('test/hostile.test.ts', 'test/faults.test.ts') },
    passWithNoTests: isSoak,
    projects: [
      {
        test: {
          ...common,
          name: 'plain',
          include: testFiles.filter((file) => !usesServices(file)),
          setupFiles: ['test/clean-up.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'services',
          include: testFiles.filter(usesServices),
          globalSetup: ['test/services.ts'],
          setupFiles: ['test/isolate.ts', 'test/clean-up.ts'],
        },
      },
    ],
  },
});
