import type { FileProblem, FileProblemCode } from '../../../contract/files.ts';

/** Stands in until the messages of backend/src/reading are there. */
export const fileProblem = (code: FileProblemCode): FileProblem => ({
  code,
  message: `This file could not be read (${code}).`,
});
