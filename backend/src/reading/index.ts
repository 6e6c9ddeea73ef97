import path from 'node:path';
import { MAX_PICTURE_WIDTH, OCR_TIMEOUT_MS, TIMEOUT_MS } from './limits.ts';
import type { FileReader, FileType, ReadPage } from './port.ts';
import type { Message, Request } from './protocol.ts';
import { runChild } from './run-child.ts';
import { createSlots } from './slots.ts';

export { typeOf } from './file-type.ts';
export {
  type FileReader,
  type FileType,
  type ReadFile,
  type ReadOptions,
  type ReadPage,
  UnreadableFileError,
} from './port.ts';
export { fileProblem } from './problems.ts';

/** Built beside the other processes. */
const BUILT_CHILD = path.join(import.meta.dirname, 'read-file.js');

export interface FileReaderOptions {
  /** Whether the text of scanned pages and images is recognised. */
  ocr: boolean;
  /** Files that are read at once; the others wait. */
  concurrency: number;
  /** The built child process; read-file.js beside this module when left out. */
  script?: string;
  /** How long one call may take, in ms; with OCR, five times as long as without when left out. */
  timeoutMs?: number;
}

/** Reads files in child processes, see docs/decisions/0021-reading-files.md. */
export function createFileReader(options: FileReaderOptions): FileReader {
  const { ocr, concurrency, script = BUILT_CHILD } = options;
  const inSlot = createSlots(concurrency);

  async function run(
    request: Request,
    onMessage: (message: Message) => void,
    signal: AbortSignal | undefined,
  ) {
    const mayRecognise = request.call === 'read' && request.ocr;
    const timeoutMs = options.timeoutMs ?? (mayRecognise ? OCR_TIMEOUT_MS : TIMEOUT_MS);
    return inSlot(() => runChild({ script, request, timeoutMs, onMessage, signal }), signal);
  }

  async function runForBytes(request: Request, signal: AbortSignal | undefined) {
    let result: { type: string; bytes: Buffer } | undefined;
    const take = (message: Message) => {
      if (message.is === 'bytes')
        result = { type: message.type, bytes: Buffer.from(message.base64, 'base64') };
    };
    await run(request, take, signal);
    if (!result) throw new Error('The child sent no picture.');
    return result;
  }

  return {
    read: async ({ path: file, name, onProgress, signal }) => {
      const pages: ReadPage[] = [];
      let type: FileType = { type: 'application/octet-stream', kind: 'other' };
      const take = (message: Message) => {
        if (message.is === 'page') pages.push(withoutUndefined(message.page));
        if (message.is === 'type') type = { type: message.type, kind: message.kind };
        if (message.is === 'progress') onProgress?.({ done: message.done, total: message.total });
      };
      const { truncated } = await run({ call: 'read', path: file, name, ocr }, take, signal);
      return { ...type, pages, truncated };
    },

    renderPage: async ({ path: file, name, n, width, signal }) => {
      const wide = Math.max(1, Math.min(Math.round(width), MAX_PICTURE_WIDTH));
      const request = { call: 'renderPage', path: file, name, n, width: wide } as const;
      return (await runForBytes(request, signal)).bytes;
    },

    markPage: async ({ path: file, name, n, start, end, signal }) => {
      let rects: Extract<Message, { is: 'rects' }>['rects'] | undefined;
      const take = (message: Message) => {
        if (message.is === 'rects') ({ rects } = message);
      };
      await run({ call: 'markPage', path: file, name, n, start, end }, take, signal);
      if (!rects) throw new Error('The child sent no marks.');
      return rects;
    },

    imageForModel: ({ path: file, name, signal }) =>
      runForBytes({ call: 'imageForModel', path: file, name }, signal),
  };
}

const withoutUndefined = ({
  n,
  text,
  rows,
  picture,
}: Extract<Message, { is: 'page' }>['page']) => ({
  n,
  text,
  ...(rows && { rows }),
  ...(picture && { picture }),
});
