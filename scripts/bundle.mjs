// Bundles processes with the packages that they use: one file each, shared code in chunks. A process that loads a few files starts in half
// the time of one that loads a thousand from node_modules.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, context } from 'esbuild';

/** Packages in CommonJS call `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);";

const options = ({ folder, names, outdir, external = [], plugins = [] }) => ({
  entryPoints: names.map((name) => path.join(folder, `${name}.ts`)),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  banner: { js: REQUIRE },
  sourcemap: true,
  // The sources stand beside the build.
  sourcesContent: false,
  metafile: true,
  absWorkingDir: folder,
  logLevel: 'warning',
  plugins,
});

/**
 * Bundles `<folder>/<name>.ts` for each name into `outdir` and removes the files of an earlier build. The packages `external` are loaded
 * from node_modules.
 */
export async function bundleProcesses(what) {
  const { metafile } = await build(options(what));
  const written = new Set(Object.keys(metafile.outputs).map((file) => path.basename(file)));
  for (const name of existsSync(what.outdir) ? readdirSync(what.outdir) : []) {
    if (!written.has(name)) rmSync(path.join(what.outdir, name), { recursive: true, force: true });
  }
}

/** Bundles again when a source changes; calls `onBuilt` after each build but the first. */
export async function watchProcesses(what, onBuilt) {
  let first = true;
  const notify = {
    name: 'notify',
    setup: (builder) => {
      // An edit that is undone later would otherwise leave its build with the note of the present sources (prepare.mjs).
      builder.onStart(() => rmSync(path.join(what.outdir, '.built-from'), { force: true }));
      builder.onEnd(({ errors }) => {
        if (!first && errors.length === 0) onBuilt();
        first = false;
      });
    },
  };
  const watching = await context({ ...options(what), plugins: [notify] });
  await watching.watch();
  return () => watching.dispose();
}
