// Builds the processes of the product, and nothing of the embedded services.
import path from 'node:path';
import { bundleProcesses, watchProcesses } from '../scripts/bundle.mjs';

const here = import.meta.dirname;
const processes = {
  folder: path.join(here, 'src/processes'),
  names: ['web', 'worker', 'read-file'],
  outdir: path.join(here, 'dist'),
};

/** Builds `web` and `worker` into `outdir`. */
export const buildBackend = (options) => bundleProcesses({ ...processes, ...options });

/** Builds again whenever a source changes; calls `onBuilt` after each build but the first. */
export const watchBackend = (onBuilt) => watchProcesses(processes, onBuilt);

if (process.argv[1] === import.meta.filename) await buildBackend();
