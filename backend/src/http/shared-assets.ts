import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BUILD } from '../contract/build.ts';

/** Builds before this one whose files are kept: their tabs may still be open. */
const MAX_FORMER_BUILDS = 2;
/** A copy of this age was not finished by its process. */
const UNFINISHED_AFTER_MS = 3_600_000;
/** Begins the name of a copy that is not complete; no build is served under it. */
const UNFINISHED = '.copying-';

/** The folder in a build, and in each copy of it, of the files with a hash in their name. */
export const ASSETS = 'assets';

/** The build in `dir`, which its page names; undefined without a page, and for the page of the development server. */
export async function buildOf(dir: string): Promise<string | undefined> {
  const html = await readFile(path.join(dir, 'index.html'), 'utf8').catch(() => '');
  const build = /<meta name="build" content="([^"]*)"/.exec(html)?.[1] ?? '';
  return BUILD.test(build) ? build : undefined;
}

/** The builds whose files are in `folder`, the latest first. */
export async function sharedBuilds(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => BUILD.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/**
 * Puts the hashed files of a build into `folder`, where every web process finds them, and removes builds before the last two. Several
 * processes may do so at once, and one may end at any time: a build appears when it is complete, and what a lost process left is removed
 * after an hour.
 * @param build the build in `dir`
 */
export async function shareAssets(options: {
  dir: string;
  build: string;
  folder: string;
  now?: () => number;
}): Promise<void> {
  const { dir, build, folder, now = Date.now } = options;
  await mkdir(folder, { recursive: true });
  const target = path.join(folder, build);
  if (!(await exists(target))) await copyAssets({ dir, folder, target });
  const former = (await sharedBuilds(folder)).filter((it) => it < build);
  const leftOver = await unfinishedCopies(folder, now() - UNFINISHED_AFTER_MS);
  const removed = [...former.slice(MAX_FORMER_BUILDS), ...leftOver];
  await Promise.all(removed.map((name) => remove(path.join(folder, name))));
}

async function copyAssets(options: { dir: string; folder: string; target: string }) {
  const copy = path.join(options.folder, `${UNFINISHED}${randomUUID()}`);
  const [from, to] = [path.join(options.dir, ASSETS), path.join(copy, ASSETS)];
  try {
    await mkdir(to, { recursive: true });
    const names = await readdir(from);
    // A build never changes a file, so both may be the same one.
    for (const name of names)
      await link(path.join(from, name), path.join(to, name)).catch(() =>
        copyFile(path.join(from, name), path.join(to, name)),
      );
    await rename(copy, options.target);
  } catch (error) {
    await remove(copy);
    // Another process of the same build was first.
    if (!(await exists(options.target))) throw error;
  }
}

async function unfinishedCopies(folder: string, before: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(UNFINISHED));
  const old = await Promise.all(
    names.map(async (name) => {
      const found = await stat(path.join(folder, name)).catch(() => undefined);
      return found !== undefined && found.mtimeMs < before ? [name] : [];
    }),
  );
  return old.flat();
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Another process may remove it too. */
const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 });
