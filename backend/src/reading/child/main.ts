import { writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Picture } from '../formats/load-sharp.ts';
import { linesOf } from '../lines.ts';
import { type ChildTasks, UnreadableFileError } from '../port.ts';
import { type Message, RESULT_DESCRIPTOR, Request } from '../protocol.ts';
import { imageForCard, imageForModel, markPage, recognisePage, renderPage } from './pictures.ts';
import { type ReadRequest, read } from './read.ts';

/** Relaying replies has priority on the same machine. Drawing has a higher priority than reading, because a user waits for the page. */
const PRIORITY = {
  read: 10,
  imageForModel: 10,
  renderPage: 5,
  markPage: 5,
  recognisePage: 10,
  imageForCard: 5,
  runTask: 5,
};
/** Bytes per message: the parent parses each line and has other work. */
const PIECE_BYTES = 96 * 1024;

/** Answers the requests on standard input, which all concern one file. */
export async function main(tasks: ChildTasks): Promise<void> {
  for await (const line of linesOf(process.stdin, Number.POSITIVE_INFINITY)) {
    try {
      const request = Request.parse(JSON.parse(line));
      lowerPriority(PRIORITY[request.call]);
      const { truncated } = await answer(request, tasks);
      send({ is: 'done', truncated });
    } catch (error) {
      send(failure(error));
    }
  }
  // Packages may leave threads running.
  process.exit(0);
}

function lowerPriority(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // Some systems do not let a process lower its own priority.
  }
}

async function answer(request: Request, tasks: ChildTasks): Promise<{ truncated: boolean }> {
  switch (request.call) {
    case 'read': {
      const { truncated } = await read(request, send);
      send({ is: 'text', truncated });
      await sendThumbnail(request);
      return { truncated };
    }
    case 'renderPage':
      sendBytes(await renderPage(request));
      break;
    case 'recognisePage':
      send({ is: 'recognised', text: await recognisePage(request) });
      break;
    case 'imageForModel':
      sendBytes(await imageForModel(request));
      break;
    case 'imageForCard':
      sendBytes(await imageForCard(request));
      break;
    case 'runTask':
      sendBytes({ type: '', bytes: await tasks[request.task](request.path) });
      break;
    case 'markPage':
      send({ is: 'rects', rects: await markPage(request) });
  }
  return { truncated: false };
}

async function sendThumbnail({ thumbnailWidth: width, ...file }: ReadRequest): Promise<void> {
  if (width === undefined) return;
  const picture = await renderPage({ ...file, n: 1, width }).catch(() => null);
  if (picture) sendBytes(picture);
}

function sendBytes({ type, bytes }: Picture): void {
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE_BYTES)
    send({ is: 'bytes', type, base64: bytes.toString('base64', at, at + PIECE_BYTES) });
}

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

/** A package or the file itself is missing, or this program has a bug in its protocol code. */
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
