// Runs a TypeScript file of the project as a program: bundled for this Node first, with its packages left outside.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';
import { loudly } from './terminal.mjs';

/** @returns the program's exit code */
export async function runTypeScript(source, args, env = {}) {
  const { build } = await import('esbuild');
  // In the workspace of the source, where its packages are found.
  const workspace = path.relative(root, source).split(path.sep)[0];
  const folder = path.join(root, workspace, '.cache/scripts', String(process.pid));
  const outfile = path.join(folder, `${path.basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // The only package in TypeScript, which Node does not run.
    alias: { '@stolas/backend/contract': path.join(root, 'backend/src/contract/index.ts') },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  try {
    const options = { cwd: root, env: { ...process.env, ...env } };
    return await loudly(process.execPath, ['--enable-source-maps', outfile, ...args], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
