import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SAMPLE_HASHES } from './samples.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../../frontend/public/samples');

it('names the sample files that the frontend serves, and no other', () => {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)));
  const hashes = files.map((file) => createHash('sha256').update(file).digest('hex'));
  expect(hashes.toSorted()).toEqual([...SAMPLE_HASHES].toSorted());
});
