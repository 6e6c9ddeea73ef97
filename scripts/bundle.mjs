// Bundles processes: one file each, shared code in chunks, packages from node_modules.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, context } from 'esbuild';

const options = ({ folder, names, outdir, plugins = [] }) => ({
  entryPoints: names.map((name) => path.join(folder, `${name}.ts`)),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  metafile: true,
  absWorkingDir: folder,
  logLevel: 'warning',
  plugins,
});

/** Bundles `<folder>/<name>.ts` for each name into `outdir` and removes what an earlier build left there. */
export async function bundleProcesses(what) {
  const { metafile } = await build(options(what));
  const written = new Set(Object.keys(metafile.outputs).map((file) => path.basename(file)));
  for (const name of existsSync(what.outdir) ? readdirSync(what.outdir) : []) {
    if (!written.has(name)) rmSync(path.join(what.outdir, name), { recursive: true, force: true });
  }
}

/** Bundles again whenever a source changes; calls `onBuilt` after each build but the first. */
export async function watchProcesses(what, onBuilt) {
  let first = true;
  const notify = {
    name: 'notify',
    setup: (builder) =>
      builder.onEnd(({ errors }) => {
        if (!first && errors.length === 0) onBuilt();
        first = false;
      }),
  };
  const watching = await context({ ...options(what), plugins: [notify] });
  await watching.watch();
  return () => watching.dispose();
}
