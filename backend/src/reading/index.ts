import path from 'node:path';
import { createSlots } from '../slots.ts';
import { LostChildError, startChild } from './child.ts';
import { createKeptChildren } from './kept-children.ts';
import {
  BUSY_FACTOR,
  MAX_PICTURE_WIDTH,
  OCR_TIMEOUT_MS,
  PICTURE_TIMEOUT_MS,
  TIMEOUT_MS,
} from './limits.ts';
import type { FileReader, FileType, PageTurn, ReadPage } from './port.ts';
import type { Message, Request } from './protocol.ts';
import { unreadOf } from './unread.ts';

export { typeOf } from './file-type.ts';
export { firstPageOf, isSameTable, rowsOf } from './formats/table.ts';
export { checkLanguages, LANGUAGE_CODE } from './languages.ts';
export { linesOf } from './lines.ts';
export {
  type ChildTasks,
  type FileReader,
  type FileType,
  type ReadFile,
  type ReadOptions,
  type ReadPage,
  UnreadableFileError,
} from './port.ts';
export { fileProblem } from './problems.ts';
export { unreadOf } from './unread.ts';

/** Built beside the other processes. */
const BUILT_CHILD = path.join(import.meta.dirname, 'read-file.js');

export interface FileReaderOptions {
  /** The languages of the text in pictures, by the codes of Tesseract. */
  languages: readonly string[];
  /** Children that work at once; further calls wait. The same number may wait for another page of their file. */
  concurrency: number;
  /** The built child process; by default read-file.js beside this module. */
  script?: string;
  /** Timeout of one call, in ms; by default those of limits.ts. */
  timeoutMs?: number;
  /** How long the child of a file waits for its next page, in ms. */
  idleMs?: number;
}

type Turn = { group?: string | undefined; signal?: AbortSignal | undefined };
type PageMessage = Extract<Message, { is: 'page' }>['page'];
type OnMessage = (message: Message) => void;
/**
 * Calls a child.
 * @throws the child's error, or the reason for its loss
 */
type Ask<AnyTurn> = (request: Request, onMessage: OnMessage, turn: AnyTurn) => Promise<Answer>;
type Answer = Awaited<ReturnType<ReturnType<typeof startChild>['ask']>>;

/** Reads files in child processes, see docs/decisions/0021-reading-files.md. */
export function createFileReader(options: FileReaderOptions): FileReader {
  const { languages, concurrency, script = BUILT_CHILD, idleMs } = options;
  const inSlot = createSlots(concurrency);
  const kept = createKeptChildren({ script, maxIdle: concurrency, idleMs });

  /** Calls a new child. */
  const run: Ask<Turn> = (request, onMessage, turn) => {
    const limitMs = options.timeoutMs ?? timeoutOf(request);
    const timeoutMs = options.timeoutMs ?? BUSY_FACTOR * limitMs;
    const answer = async () => {
      const child = startChild({ script, cpuSeconds: Math.ceil(limitMs / 1_000) + 10 });
      try {
        return await child.ask({ request, timeoutMs, onMessage, signal: turn.signal });
      } catch (error) {
        throw error instanceof LostChildError ? error.cause : error;
      } finally {
        child.kill();
      }
    };
    return inSlot(answer, turn);
  };

  /** Calls the child of a file. */
  const runKept: Ask<PageTurn> = (request, onMessage, { group, signal }) => {
    const timeoutMs = options.timeoutMs ?? timeoutOf(request);
    return inSlot(() => kept.ask(request.path, { request, timeoutMs, onMessage }), {
      key: request.path,
      group,
      signal,
      isLast: request.call === 'recognisePage',
    });
  };

  return {
    read: readCall(run),
    ...pageCalls(runKept),
    recognisePage: recogniseCall(runKept, languages),
    ...byteCalls(run),
  };
}

const readCall =
  (run: Ask<Turn>): FileReader['read'] =>
  async ({ path: file, name, thumbnailWidth, onProgress, signal }) => {
    const pages: ReadPage[] = [];
    let type: FileType = { type: 'application/octet-stream', kind: 'other' };
    let whole: { truncated: boolean } | undefined;
    const thumbnail = takeBytes();
    const take = (message: Message) => {
      if (message.is === 'page') pages.push(withoutUndefined(message.page));
      if (message.is === 'type') type = { type: message.type, kind: message.kind };
      if (message.is === 'progress') onProgress?.({ done: message.done, total: message.total });
      if (message.is === 'text') whole = { truncated: message.truncated };
      thumbnail.take(message);
    };
    const request = { call: 'read', path: file, name, thumbnailWidth } as const;
    const { truncated } = await run(request, take, { signal }).catch((error: unknown) => {
      // The text is complete: the child was lost while it drew the thumbnail.
      if (whole && !signal?.aborted) return whole;
      throw error;
    });
    const picture = thumbnail.has() && { thumbnail: thumbnail.result().bytes };
    const unread = unreadOf(pages);
    return { ...type, pages, truncated, ...(unread.length > 0 && { unread }), ...picture };
  };

const recogniseCall =
  (run: Ask<PageTurn>, languages: readonly string[]): FileReader['recognisePage'] =>
  async ({ path: file, name, n, withText, ...turn }) => {
    let text: string | undefined;
    const take = (message: Message) => {
      if (message.is === 'recognised') ({ text } = message);
    };
    const page = { path: file, name, n, withText, languages: [...languages] };
    await run({ call: 'recognisePage', ...page }, take, turn);
    if (text === undefined) throw new Error('The child sent no text.');
    return text;
  };

const pageCalls = (run: Ask<PageTurn>): Pick<FileReader, 'renderPage' | 'markPage'> => ({
  renderPage: async ({ path: file, name, n, width, ...turn }) => {
    const wide = Math.max(1, Math.min(Math.round(width), MAX_PICTURE_WIDTH));
    const request = { call: 'renderPage', path: file, name, n, width: wide } as const;
    return (await bytesOf(run, request, turn)).bytes;
  },

  markPage: async ({ path: file, name, n, text, start, end, ...turn }) => {
    let rects: Extract<Message, { is: 'rects' }>['rects'] | undefined;
    const take = (message: Message) => {
      if (message.is === 'rects') ({ rects } = message);
    };
    const request = { call: 'markPage', path: file, name, n, text, start, end } as const;
    await run(request, take, turn);
    if (!rects) throw new Error('The child sent no marks.');
    return rects;
  },
});

/** Calls that return bytes. */
const byteCalls = (
  run: Ask<Turn>,
): Pick<FileReader, 'imageForModel' | 'imageForCard' | 'runTask'> => ({
  imageForModel: ({ path: file, name, signal }) =>
    bytesOf(run, { call: 'imageForModel', path: file, name }, { signal }),

  imageForCard: async ({ path: file, name, ...turn }) =>
    (await bytesOf(run, { call: 'imageForCard', path: file, name }, turn)).bytes,

  runTask: async ({ task, path: folder, ...turn }) =>
    (await bytesOf(run, { call: 'runTask', task, path: folder }, turn)).bytes,
});

async function bytesOf<AnyTurn>(run: Ask<AnyTurn>, request: Request, turn: AnyTurn) {
  const { take, result } = takeBytes();
  await run(request, take, turn);
  return result();
}

function timeoutOf(request: Request): number {
  if (request.call === 'recognisePage') return OCR_TIMEOUT_MS;
  const isLong = request.call === 'read' || request.call === 'imageForModel';
  return isLong ? TIMEOUT_MS : PICTURE_TIMEOUT_MS;
}

function takeBytes() {
  let type = '';
  const pieces: Buffer[] = [];
  return {
    take: (message: Message) => {
      if (message.is !== 'bytes') return;
      ({ type } = message);
      pieces.push(Buffer.from(message.base64, 'base64'));
    },
    has: () => pieces.length > 0,
    result: () => {
      if (pieces.length === 0) throw new Error('The child sent no bytes.');
      return { type, bytes: Buffer.concat(pieces) };
    },
  };
}

const withoutUndefined = ({
  n,
  label,
  text,
  rowsStart,
  picture,
  unread,
}: PageMessage): ReadPage => ({
  n,
  ...(label !== undefined && { label }),
  text,
  ...(rowsStart !== undefined && { rowsStart }),
  ...(picture && { picture }),
  ...(unread && { unread }),
});
