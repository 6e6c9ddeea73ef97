// Builds the embedded services and the supervisor of `npm start`.
import path from 'node:path';
import { bundleProcesses } from '../../scripts/bundle.mjs';

const here = import.meta.dirname;
const processes = {
  folder: path.join(here, 'processes'),
  names: [
    'all',
    'dev',
    'services',
    'embedded-mongo',
    'embedded-s3',
    'embedded-model',
    'embedded-stripe',
    'embedded-balancer',
  ],
  outdir: path.join(here, 'dist'),
  // It loads its WebAssembly from its own folder.
  external: ['node-sqlite3-wasm'],
};

/** Builds all of them, or only `names`, into `outdir`. */
export const buildEmbedded = (options) => bundleProcesses({ ...processes, ...options });

if (process.argv[1] === import.meta.filename) await buildEmbedded();
