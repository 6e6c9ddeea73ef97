import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { watchProcesses } from '../../scripts/bundle.mjs';

it('a build of edited sources does not pass for the build of those that a start built', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stolas-bundle-'));
  const outdir = path.join(folder, 'dist');
  const note = path.join(outdir, '.built-from');
  const edit = (text: string) =>
    writeFileSync(path.join(folder, 'web.ts'), `console.log('${text}');`);
  edit('first');
  const built: boolean[] = [];
  const stop = await watchProcesses({ folder, names: ['web'], outdir }, () => built.push(true));
  await expect.poll(() => existsSync(path.join(outdir, 'web.js'))).toBe(true);
  // What `npm start` or `npm test` writes beside its build while `npm run dev` watches.
  writeFileSync(note, 'hash');
  edit('second');
  await expect.poll(() => built).toEqual([true]);
  expect(existsSync(note)).toBe(false);
  await stop();
  rmSync(folder, { recursive: true });
});
