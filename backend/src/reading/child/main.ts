import { writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import type { Picture } from '../formats/image.ts';
import { UnreadableFileError } from '../port.ts';
import { type Message, RESULT_DESCRIPTOR, Request } from '../protocol.ts';
import { imageForModel, markPage, renderPage } from './pictures.ts';
import { read } from './read.ts';

/** Relaying replies has priority on the same machine. */
const PRIORITY = 10;

/** Answers the request on standard input. */
export async function main(): Promise<void> {
  try {
    setPriority(PRIORITY);
  } catch {
    // Not every system lets a process lower its own priority.
  }
  try {
    const request = Request.parse(JSON.parse(await text(process.stdin)));
    const { truncated } = await answer(request);
    send({ is: 'done', truncated });
  } catch (error) {
    send(failure(error));
  }
  // Packages may leave threads behind.
  process.exit(0);
}

async function answer(request: Request): Promise<{ truncated: boolean }> {
  switch (request.call) {
    case 'read':
      return read(request, send);
    case 'renderPage':
      sendPicture(await renderPage(request));
      break;
    case 'imageForModel':
      sendPicture(await imageForModel(request));
      break;
    case 'markPage':
      send({ is: 'rects', rects: await markPage(request) });
  }
  return { truncated: false };
}

const sendPicture = ({ type, bytes }: Picture) =>
  send({ is: 'bytes', type, base64: bytes.toString('base64') });

/** Blocks until the reader takes it, so that a fast child does not fill its own memory with messages. */
function send(message: Message): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let done = 0; done < bytes.length; ) done += writeSync(RESULT_DESCRIPTOR, bytes, done);
}

function failure(error: unknown): Message {
  if (error instanceof UnreadableFileError)
    return { is: 'failed', code: error.code, detail: error.message.slice(0, 2_000) };
  const detail = String(error instanceof Error ? error.stack : error);
  if (isOwnFault(error)) return { is: 'fault', detail: detail.slice(0, 10_000) };
  const code = isOutOfMemory(error) ? 'too_complex' : 'damaged';
  return { is: 'failed', code, detail: detail.slice(0, 2_000) };
}

/** A package or the file itself is missing, or this program has a mistake at its edge. */
const isOwnFault = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code !== undefined &&
  /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ENOENT|EACCES|EIO|EMFILE)$/.test(
    (error as NodeJS.ErrnoException).code ?? '',
  );

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  /allocation failed|out of memory|invalid string length|array length|could not allocate|call stack/i.test(
    error.message,
  );
