import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const FOLDERS = ['backend/src', 'backend/test', 'frontend/src', 'frontend/e2e'];

const numbersIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));

it('each fault of the architecture has a test that names it, and no test names another', () => {
  const tests = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('node_modules'))
      .map((file) => readFileSync(path.join(root, folder, file), 'utf8')),
  );
  const named = new Set(tests.flatMap((text) => numbersIn(text, /['"`]fault (\d+):/g)));
  const architecture = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const listed = numbersIn(architecture, /^\| (\d+) \| /gm);
  expect(listed.length).toBeGreaterThan(0);
  expect([...named].toSorted((a, b) => a - b)).toEqual(listed);
});
