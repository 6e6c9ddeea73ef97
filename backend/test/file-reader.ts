import path from 'node:path';
import { createFileReader, type FileReaderOptions } from '../src/reading/index.ts';

/** A file reader with the child process that was built for this test run. */
export const testFileReader = (options: Partial<FileReaderOptions> = {}) =>
  createFileReader({
    languages: ['deu', 'eng'],
    concurrency: 2,
    script: path.join(process.env.STOLAS_TEST_PRODUCT ?? '', 'read-file.js'),
    ...options,
  });
