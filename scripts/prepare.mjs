// The common preparation of `npm start` and `npm test`: the required Node version, the locked packages, a current build.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { quietly, Stop, step } from './terminal.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inRoot = (...parts) => path.join(root, ...parts);

const OLDEST_NODE = [20, 19];
/** Folders without sources. */
const BUILT = new Set(['node_modules', 'dist', '.cache']);

/** The sources of each part, and its build. */
const BUILDS = [
  {
    name: 'frontend',
    folder: 'frontend',
    sources: [
      'frontend/src',
      'frontend/public',
      'frontend/index.html',
      'frontend/vite.config.ts',
      'frontend/catalogue.ts',
      'frontend/precompress.ts',
      'frontend/split.ts',
      'frontend/package.json',
      'backend/src/contract',
    ],
    command: [inRoot('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
    cwd: inRoot('frontend'),
  },
  {
    name: 'backend',
    folder: 'backend',
    sources: ['backend/src', 'backend/build.mjs', 'backend/package.json', 'scripts/bundle.mjs'],
    command: [inRoot('backend/build.mjs')],
    cwd: root,
  },
  {
    name: 'embedded services',
    folder: 'backend/embedded',
    sources: ['backend/embedded', 'backend/src/contract', 'scripts/bundle.mjs'],
    command: [inRoot('backend/embedded/build.mjs')],
    cwd: root,
  },
];

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Stop(
    `STOLAS needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. Get one at https://nodejs.org.`,
  );
}

/** Installs the locked packages unless they are already installed. */
export async function installPackages() {
  if (packagesAreThere()) return;
  await step('packages installed', async () => {
    // --include=dev: with NODE_ENV=production npm would leave out packages of the build.
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = process.env.npm_execpath;
    if (npm) await quietly(process.execPath, [npm, ...args], { cwd: root });
    else await quietly('npm', args, { cwd: root, shell: process.platform === 'win32' });
  });
}

function packagesAreThere() {
  const note = inRoot('node_modules/.package-lock.json');
  if (!existsSync(note)) return false;
  const wanted = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages;
  const there = JSON.parse(readFileSync(note, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, locked]) =>
      !name.includes('node_modules/') ||
      locked.link ||
      locked.optional ||
      locked.devOptional ||
      there[name]?.version === locked.version,
  );
}

/** Builds each part whose sources have changed since its last build. */
export async function buildChanged({ always = false } = {}) {
  await Promise.all(
    BUILDS.map(async ({ name, folder, sources, command, cwd }) => {
      const hash = hashOf([...sources, 'package-lock.json']);
      // Inside dist/, because any other build empties dist/ and so removes this file.
      const note = inRoot(folder, 'dist/.built-from');
      if (!always && existsSync(note) && readFileSync(note, 'utf8') === hash) return;
      // With another NODE_ENV, Vite would build React's development version, which is many times slower.
      const env = { ...process.env, NODE_ENV: 'production' };
      await step(`${name} built`, () => quietly(process.execPath, command, { cwd, env }));
      writeFileSync(note, hash);
    }),
  );
}

function hashOf(sources) {
  const hash = createHash('sha256').update(process.versions.node);
  for (const file of sources.flatMap((source) => filesIn(inRoot(source)))) {
    hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesIn(file) {
  if (!existsSync(file)) return [];
  const entries = readdirSync(path.dirname(file), { withFileTypes: true });
  const isFolder = entries.find((entry) => entry.name === path.basename(file))?.isDirectory();
  if (!isFolder) return /\.test\.tsx?$/.test(file) ? [] : [file];
  return readdirSync(file)
    .filter((name) => !BUILT.has(name))
    .toSorted()
    .flatMap((name) => filesIn(path.join(file, name)));
}
