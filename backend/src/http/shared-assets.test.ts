import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build as bundle } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildOf, shareAssets, sharedBuilds } from './shared-assets.ts';

const idOf = (n: number) => `2026112719${String(n).padStart(4, '0')}-0123456789ab`;

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'stolas-assets-'));
  folder = path.join(root, 'shared');
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A build with `count` files. */
async function build(n: number, count = 3): Promise<string> {
  const dir = path.join(root, `dist-${n}`);
  await mkdir(path.join(dir, 'assets'), { recursive: true });
  await writeFile(path.join(dir, 'index.html'), `<meta name="build" content="${idOf(n)}" />`);
  for (let i = 0; i < count; i += 1)
    await writeFile(path.join(dir, `assets/part-${n}-${i}.js`), `part ${i} of ${n}`);
  return dir;
}

const SHARING = `
import { shareAssets } from './shared-assets.ts';
await shareAssets(JSON.parse(process.argv[2]));
`;

/** Shares a build in a separate process. */
async function startSharing(options: Parameters<typeof shareAssets>[0]) {
  const outfile = path.join(root, 'sharing.mjs');
  await bundle({
    stdin: { contents: SHARING, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return fork(outfile, [JSON.stringify(options)]);
}

const share = async (n: number) => shareAssets({ dir: await build(n), build: idOf(n), folder });
const filesOf = (n: number) => readdir(path.join(folder, idOf(n), 'assets'));

describe('fault 32: the files of builds that every web process finds', () => {
  it('are those of this build and the last two, whose later ones stay too', async () => {
    for (const n of [1, 2, 3, 4]) await share(n);
    expect(await sharedBuilds(folder)).toEqual([idOf(4), idOf(3), idOf(2)]);
    // A process of an older build that starts late, or a rollback.
    await share(3);
    expect(await sharedBuilds(folder)).toEqual([idOf(4), idOf(3), idOf(2)]);
    expect(await filesOf(2)).toEqual(['part-2-0.js', 'part-2-1.js', 'part-2-2.js']);
  });

  it('stay when the build is removed from where it was made', async () => {
    await share(1);
    await rm(path.join(root, 'dist-1'), { recursive: true });
    const file = path.join(folder, idOf(1), 'assets/part-1-2.js');
    expect(await readFile(file, 'utf8')).toBe('part 2 of 1');
  });

  it('are complete when several processes put them there at once', async () => {
    const dir = await build(1, 200);
    const all = Array.from({ length: 8 }, () => shareAssets({ dir, build: idOf(1), folder }));
    await Promise.all(all);
    expect(await filesOf(1)).toHaveLength(200);
    expect(await readdir(folder)).toEqual([idOf(1)]);
  });

  it('are complete although the first process was killed while it put them there', async () => {
    const dir = await build(1, 20_000);
    const sharing = await startSharing({ dir, build: idOf(1), folder });
    const ended = once(sharing, 'exit');
    // It has begun to link the files, and has many to go.
    await expect.poll(() => readdir(folder).catch(() => []), { interval: 1 }).toHaveLength(1);
    sharing.kill('SIGKILL');
    expect((await ended).at(1)).toBe('SIGKILL');
    expect(await sharedBuilds(folder)).toEqual([]);
    const [unfinished = ''] = await readdir(folder);

    await shareAssets({ dir, build: idOf(1), folder });
    expect(await filesOf(1)).toHaveLength(20_000);
    // What the lost process left goes an hour later.
    expect(await readdir(folder)).toContain(unfinished);
    const inTwoHours = () => Date.now() + 7_200_000;
    await shareAssets({ dir, build: idOf(1), folder, now: inTwoHours });
    expect(await readdir(folder)).toEqual([idOf(1)]);
  });

  it('are left out by a process that finds no room, and nothing of them remains', async () => {
    const dir = await build(1);
    await rm(path.join(dir, 'assets'), { recursive: true });
    await expect(shareAssets({ dir, build: idOf(1), folder })).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });
});

it('reads the build from the page, and none from a page without a valid one', async () => {
  const dir = await build(7);
  expect(await buildOf(dir)).toBe(idOf(7));
  for (const content of ['', '../../etc', `${idOf(7)}/..`]) {
    await writeFile(path.join(dir, 'index.html'), `<meta name="build" content="${content}" />`);
    expect(await buildOf(dir)).toBeUndefined();
  }
  expect(await buildOf(path.join(root, 'none'))).toBeUndefined();
});
