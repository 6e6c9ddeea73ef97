import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ErrorCode } from '../contract/errors.ts';
import { AppError } from '../errors.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

// A feature gives files that must not be parsed in its process to the child of the file reader (see `ChildTasks`): it writes them into a
// folder, and the child answers with a head, one line of JSON, and more lines below it.

interface Refusal {
  refusal: { code: ErrorCode; message: string; details?: Record<string, unknown> | undefined };
}

/** Runs `work` with a folder that contains these files, and removes it. */
export async function inFolder<T>(
  files: Partial<Record<string, string | Buffer>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await createTemporaryFolder('stolas-task-');
  try {
    for (const [name, content] of Object.entries(files))
      if (content !== undefined) await writeFile(path.join(folder, name), content);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The child's answer: a head and the lines below it. An AppError of `work` becomes the answer too. */
export async function answerOf(
  work: () => Promise<{ head: unknown; lines: Iterable<string> }>,
): Promise<Buffer> {
  try {
    const { head, lines } = await work();
    return Buffer.from(`${[JSON.stringify(head), ...lines].join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    const head: Refusal = { refusal: { code, message, details } };
    return Buffer.from(`${JSON.stringify(head)}\n`);
  }
}

/**
 * The head of an answer, and the bytes of its other lines, which may be long.
 * @throws AppError that the child answered
 */
export function readAnswer(answer: Buffer): { head: unknown; rest: Buffer } {
  const end = answer.indexOf('\n');
  const head: unknown = JSON.parse(answer.toString('utf8', 0, end));
  if (isRefusal(head)) {
    const { code, message, details } = head.refusal;
    throw new AppError(code, message, details && { details });
  }
  return { head, rest: answer.subarray(end + 1) };
}

const isRefusal = (head: unknown): head is Refusal =>
  typeof head === 'object' && head !== null && 'refusal' in head;

/** The lines of an answer one by one. */
export function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf('\n', from);
    yield bytes.toString('utf8', from, end);
    from = end + 1;
  }
}
