import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from './temporary-folder.ts';

const TWO_DAYS_MS = 2 * 24 * 3600_000;

it('removes folders of killed processes, and none that is in use or has another name', async () => {
  const prefix = `stolas-test-${process.pid}-`;
  const folder = async (name: string, age: number) => {
    const made = await mkdtemp(path.join(tmpdir(), name));
    await writeFile(path.join(made, 'file'), 'x');
    const time = new Date(Date.now() - age);
    await utimes(made, time, time);
    return made;
  };
  const abandoned = await folder(prefix, TWO_DAYS_MS);
  const inUse = await folder(prefix, 0);
  const other = await folder('another-', TWO_DAYS_MS);
  const made = await createTemporaryFolder(prefix);
  expect([abandoned, inUse, other, made].map((it) => existsSync(it))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  await Promise.all([inUse, other, made].map((it) => rm(it, { recursive: true })));
});
