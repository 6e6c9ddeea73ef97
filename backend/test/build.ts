import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { afterAll } from 'vitest';
import { buildBackend } from '../build.mjs';
import { buildEmbedded } from '../embedded/build.mjs';
import { projectRoot } from '../embedded/run/root.ts';

/** The folders of the built processes: `product` has web.js and worker.js, `embedded` the others. */
export type TestBuild = { product: string; embedded: string; remove: () => Promise<void> };

/**
 * Bundles the processes from the current sources into folders of this test run, with the layout of backend/dist and backend/embedded/dist,
 * so that a test neither runs an old build nor replaces the build of a running product. `product: false` leaves web and worker out.
 */
export async function buildForTests(options: {
  label: string;
  product?: boolean;
}): Promise<TestBuild> {
  // Inside the workspace, because the bundles load their packages from its node_modules.
  const folder = path.join(projectRoot(), 'backend/.cache/test', `${process.pid}-${options.label}`);
  const product = path.join(folder, 'dist');
  const embedded = path.join(folder, 'embedded/dist');
  await buildEmbedded({ outdir: embedded });
  if (options.product ?? true) {
    // An error in the product must not prevent tests that use only the embedded services.
    await buildBackend({ outdir: product }).catch((error: unknown) => {
      process.stderr.write(`The product's processes cannot be built: ${String(error)}\n`);
    });
  }
  return { product, embedded, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Builds web and worker with another list of features. `list` is a module with the exports of features/list.ts, which it may import itself.
 */
export async function buildWithFeatures(list: string): Promise<string> {
  const name = path.basename(list, '.ts');
  const outdir = path.join(projectRoot(), 'backend/.cache/test', `${process.pid}-${name}`, 'dist');
  const replaceList: Plugin = {
    name: 'list of features',
    setup: (builder) =>
      builder.onResolve({ filter: /features\/list\.ts$/ }, ({ importer }) =>
        importer === list ? undefined : { path: list },
      ),
  };
  await buildBackend({ outdir, plugins: [replaceList] });
  afterAll(() => rm(path.dirname(outdir), { recursive: true, force: true }));
  return outdir;
}
