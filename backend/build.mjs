// Bundles every process of the backend into dist/: one file a process, shared code in chunks, packages from node_modules.
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

rmSync(here('dist'), { recursive: true, force: true });
await build({
  entryPoints: readdirSync(here('src/processes')).map((name) => here(`src/processes/${name}`)),
  outdir: here('dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
