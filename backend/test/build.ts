import { rm } from 'node:fs/promises';
import path from 'node:path';
import { buildBackend } from '../build.mjs';
import { projectRoot } from '../src/embedded/run/root.ts';

/**
 * Bundles processes from the sources as they are now into a folder of this test run, so that a test never runs
 * yesterday's build nor disturbs the one that somebody else runs.
 */
export async function buildForTests(options: {
  label: string;
  names?: string[];
}): Promise<{ scripts: string; remove: () => Promise<void> }> {
  // Inside the workspace, because the bundles load their packages from its node_modules.
  const scripts = path.join(
    projectRoot(),
    'backend/.cache/test',
    `${process.pid}-${options.label}`,
  );
  await buildBackend({ outdir: scripts, ...(options.names && { names: options.names }) });
  return { scripts, remove: () => rm(scripts, { recursive: true, force: true }) };
}
