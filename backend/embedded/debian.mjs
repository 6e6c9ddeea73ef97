// Programs from Debian's archive without root: download the packages that are missing, unpack them into a private
// folder, run them from there. Plain JavaScript because the scripts use it before anything is installed or built.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @param {string} name @returns {string | undefined} the program's full path, if it is on the PATH */
export function onPath(name) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (folder && existsSync(file)) return file;
    }
  }
  return undefined;
}

/** Whether `unpackDebian` can work on this machine. */
export const canUnpackDebian = () => Boolean(onPath('apt-get') && onPath('dpkg'));

/**
 * Unpacks `packages`, and those of their dependencies that this machine lacks, into `folder`. All or nothing: the folder appears when it is
 * complete. Several processes may unpack at once: an existing folder that `isUsable` stays.
 * @param {{ packages: string[], folder: string, isUsable?: () => Promise<boolean> }} options
 * @returns {Promise<void>}
 */
export async function unpackDebian({ packages, folder, isUsable = async () => false }) {
  await mkdir(path.dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  try {
    const debs = await download(packages, work);
    const root = path.join(work, 'root');
    for (const deb of debs) await run('dpkg', ['-x', deb, root]);
    // Fails when the folder exists: from before, or because another process has unpacked it meanwhile.
    await rename(root, folder).catch(async () => {
      if (await isUsable()) return;
      await rm(folder, { recursive: true, force: true });
      await rename(root, folder);
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function download(packages, work) {
  const lists = path.join(work, 'lists');
  const cache = path.join(work, 'cache');
  const debs = path.join(work, 'debs');
  for (const needed of [`${lists}/partial`, `${cache}/archives/partial`, debs]) {
    await mkdir(needed, { recursive: true });
  }
  // Private state, so that neither root nor the machine's own package lists are needed.
  const state = [
    `Dir::State=${work}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    'APT::Sandbox::User=',
    'Debug::NoLocking=1',
    'Acquire::Languages=none',
  ].flatMap((option) => ['-o', option]);
  const apt = (...args) =>
    run('apt-get', [...state, '-qq', ...args], { cwd: debs, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error) => Promise.reject(new Error(`apt-get: ${(error.stderr ?? error.message).trim()}`)),
    );
  // One unreachable source among several is not an error: missing packages are detected below.
  const notUpdated = await apt('update').then(
    () => '',
    (error) => `${error.message}\n`,
  );
  const plan = await apt(
    'install',
    '--print-uris',
    '-y',
    '--no-install-recommends',
    ...packages,
  ).catch((error) => Promise.reject(new Error(notUpdated + error.message)));
  // Lines read: 'http://…/redis-server_7.0_amd64.deb' redis-server_5%3a7.0_amd64.deb 73908 MD5Sum:…
  const missing = [...plan.stdout.matchAll(/^'[^']+' ([^_\s]+)_/gm)].map((line) => line[1]);
  await apt('download', ...new Set([...missing, ...packages]));
  return (await readdir(debs))
    .filter((name) => name.endsWith('.deb'))
    .map((name) => path.join(debs, name));
}

/**
 * The environment in which a program unpacked into `folder` finds its libraries.
 * @param {string} folder
 * @returns {Promise<{ LD_LIBRARY_PATH: string }>}
 */
export async function libraryPath(folder) {
  const roots = ['usr/lib', 'lib'].map((name) => path.join(folder, name)).filter(existsSync);
  // Two levels: usr/lib/<machine>, and what some packages keep below it (libpulse does).
  const below = await Promise.all(roots.map(foldersIn));
  const deeper = await Promise.all(below.flat().filter(isOfMachine).map(foldersIn));
  return { LD_LIBRARY_PATH: [...roots, ...below.flat(), ...deeper.flat()].join(':') };
}

const isOfMachine = (folder) => path.basename(folder).includes('-linux-');

async function foldersIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name));
}
