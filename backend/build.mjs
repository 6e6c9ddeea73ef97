// Builds the processes of the product, without the embedded services.
import path from 'node:path';
import { bundleProcesses, watchProcesses } from '../scripts/bundle.mjs';

const here = import.meta.dirname;
/**
 * Packages that are loaded from node_modules: those with native code, WebAssembly or workers, which load further files, and those that only
 * children of the file reader use, each for one format.
 */
const external = [
  '@e965/xlsx',
  '@hyzyla/pdfium',
  '@joplin/turndown-plugin-gfm',
  '@mozilla/readability',
  '@node-rs/argon2',
  '@zxcvbn-ts/language-common',
  'heic-convert',
  'htmlparser2',
  'linkedom',
  'mammoth',
  'msgpackr-extract',
  'postal-mime',
  'sharp',
  'tesseract.js',
  'turndown',
  'yauzl',
];

const processes = {
  folder: path.join(here, 'src/processes'),
  names: ['web', 'worker', 'read-file', 'check-model'],
  outdir: path.join(here, 'dist'),
  external,
};

/** Builds `web` and `worker` into `outdir`. */
export const buildBackend = (options) => bundleProcesses({ ...processes, ...options });

/** Builds again when a source changes; calls `onBuilt` after each build but the first. */
export const watchBackend = (onBuilt) => watchProcesses(processes, onBuilt);

if (process.argv[1] === import.meta.filename) await buildBackend();
