import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve } from '../../src/http/serve.fixture.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Builds a Vite project for production into a temporary folder, passes that to `work` and removes it afterwards.
 * @param project folder below the repository's root, which is the working folder of every bench
 * @throws when the build fails, with Vite's output
 */
export async function withBuild<T>(
  project: string,
  work: (folder: string) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-bench-'));
  try {
    await vite(['build', '--outDir', folder, '--emptyOutDir', ...flags], path.resolve(project));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function vite(args: readonly string[], cwd: string): Promise<void> {
  const program = path.resolve('node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += String(chunk)));
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`vite ${args.join(' ')} failed:\n${said}`);
}

/** Serves a folder on a free port of this machine while `work` runs with its URL. */
export async function withServer<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  const { url, stop } = await serve((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://bench');
    const file = path.join(folder, path.normalize(pathname === '/' ? '/index.html' : pathname));
    readFile(file).then(
      (body) => res.setHeader('content-type', TYPES[path.extname(file)] ?? '').end(body),
      () => res.writeHead(404).end(),
    );
  });
  try {
    return await work(url);
  } finally {
    stop();
  }
}
