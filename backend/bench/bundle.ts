/**
 * Benchmark `bundle`: the script a browser loads before a page can be used, gzip. The baseline is react with react-dom.
 * Counted is what the build's manifest says the page needs: index.html's own scripts, the page's chunk, and everything
 * either imports statically. `npm run bench -- bundle`
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { withBuild } from './lib/frontend-build.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

const PAGES = [
  { name: 'landing', module: 'src/features/landing/landing-page.tsx', limit: 90 },
  { name: 'login', module: 'src/features/auth/login-page.tsx', limit: 90 },
  { name: 'chat', module: 'src/app/chat-screen.tsx', limit: 180 },
];

/** The files of a module and of all that it imports statically. */
function filesOf(manifest: Manifest, key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk)
    throw new Error(`The build has no chunk of ${key}: is the page still loaded on demand?`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

async function classicScripts(folder: string): Promise<string[]> {
  const html = await readFile(path.join(folder, 'index.html'), 'utf8');
  return [...html.matchAll(/<script src="\/([^"]+)"/g)].map(([, file = '']) => file);
}

async function kilobytes(folder: string, files: Iterable<string>): Promise<number> {
  const sizes = [...files].map(
    async (file) => gzipSync(await readFile(path.join(folder, file))).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

async function floor(): Promise<number> {
  const contents =
    "import { createElement } from 'react'; import { createRoot } from 'react-dom/client'; createRoot(document.body).render(createElement('p'));";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path.resolve('frontend') },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length / 1000;
}

async function measure(folder: string) {
  const manifest = JSON.parse(
    await readFile(path.join(folder, '.vite/manifest.json'), 'utf8'),
  ) as Manifest;
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry);
  if (!entry) throw new Error('The build has no entry.');
  const first = await classicScripts(folder);
  return Promise.all(
    PAGES.map(async (page) => {
      const files = new Set([
        ...first,
        ...filesOf(manifest, entry),
        ...filesOf(manifest, page.module),
      ]);
      return { ...page, files: files.size, kb: await kilobytes(folder, files) };
    }),
  );
}

console.log(`bundle: script before a page can be used, gzip\n${describeMachine()}\n`);
const bare = await floor();
const pages = await withBuild('frontend', measure, ['--manifest']);
printTable(
  ['page', 'KB', 'files', 'beyond the floor'],
  [
    ...pages.map(({ name, kb, files }) => [
      name,
      kb.toFixed(1),
      files,
      `${(kb - bare).toFixed(1)} KB`,
    ]),
    ['floor: react + react-dom', bare.toFixed(1), 1, '-'],
  ],
);
printVerdicts(
  pages.map(({ name, limit, kb }) => ({
    promise: `${name} ≤ ${limit} KB`,
    measured: `${kb.toFixed(1)} KB`,
    kept: kb <= limit,
  })),
);
