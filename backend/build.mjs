// Bundles the processes of the backend: one file a process, shared code in chunks, packages from node_modules.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const processes = path.join(here, 'src/processes');

/** The names of all processes: one file each. */
export const processNames = () =>
  readdirSync(processes)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'child.ts')
    .map((name) => path.basename(name, '.ts'));

const options = ({ outdir, names = processNames() }) => ({
  entryPoints: names.map((name) => path.join(processes, `${name}.ts`)),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  metafile: true,
  absWorkingDir: here,
  logLevel: 'warning',
});

/** Builds into `outdir` and clears it of everything that an earlier build left there. */
export async function buildBackend({ outdir = path.join(here, 'dist'), names } = {}) {
  const { metafile } = await build(options({ outdir, names }));
  const written = new Set(Object.keys(metafile.outputs).map((file) => path.basename(file)));
  for (const name of existsSync(outdir) ? readdirSync(outdir) : []) {
    if (!written.has(name)) rmSync(path.join(outdir, name), { recursive: true, force: true });
  }
}

/** Builds again whenever a source changes; `onBuilt` is told after each build but the first. */
export async function watchBackend(onBuilt) {
  const outdir = path.join(here, 'dist');
  let first = true;
  const tell = {
    name: 'tell',
    setup: (builder) =>
      builder.onEnd(({ errors }) => {
        if (!first && errors.length === 0) onBuilt();
        first = false;
      }),
  };
  const watching = await context({ ...options({ outdir }), plugins: [tell] });
  await watching.watch();
  return () => watching.dispose();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildBackend();
