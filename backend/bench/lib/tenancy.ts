import path from 'node:path';
import { createFileReader } from '../../src/reading/index.ts';

const LINE = 'The tenant pays the rent of May on the fifteenth day of the month to the landlord.';

/** The text of a page. */
export const page = (n: number): string =>
  Array.from({ length: 36 }, (_, line) => `${n}.${line} ${LINE}`).join('\n');

/** A reader of files with the child process of the build. */
export const newReader = () =>
  createFileReader({
    languages: ['deu', 'eng'],
    concurrency: 2,
    script: path.resolve('backend/dist/read-file.js'),
  });
