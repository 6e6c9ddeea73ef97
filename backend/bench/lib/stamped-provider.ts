import { setTimeout as sleep } from 'node:timers/promises';
import { serveModel } from '../../test/model-server.ts';
import { mixedMarkdown } from './mixed-markdown.ts';

export const FRAMES_PER_SECOND = 25;
const PAUSE_MS = 1_000 / FRAMES_PER_SECOND;

/** Milliseconds of the epoch with fractions; the same clock for every process and page of one machine. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** Each chunk contains its number and the time of its sending: `m12t1795229222155.5z`. */
const STAMP = /m(\d+)t([\d.]+)z/g;

export interface Stamp {
  n: number;
  sentAt: number;
}

export const stampsIn = (text: string): Stamp[] =>
  [...text.matchAll(STAMP)].map(([, n, sentAt]) => ({ n: Number(n), sentAt: Number(sentAt) }));

const chunkText = (n: number) =>
  `m${n}t${clock().toFixed(2)}z night owls see `
    .padEnd(50, 'x')
    .concat(n % 10 === 9 ? '\n\n' : ' ');

/** Characters of a chunk of Markdown. */
export const MARKDOWN_CHARS = 51;

/** The requested answer: `chunks=<n>` stamped chunks, or `markdown=<n>` KB of mixed Markdown. */
function piecesFor(message: string): (() => string)[] {
  const kb = Number(/markdown=(\d+)/.exec(message)?.[1] ?? 0);
  if (kb > 0) {
    const pieces = mixedMarkdown(kb * 1024).match(new RegExp(`[^]{1,${MARKDOWN_CHARS}}`, 'g'));
    return (pieces ?? []).map((piece) => () => piece);
  }
  const chunks = Number(/chunks=(\d+)/.exec(message)?.[1] ?? 100);
  return stampedChunks(chunks);
}

const stampedChunks = (count: number) =>
  Array.from({ length: count }, (_, n) => () => chunkText(n));

/** Calls `write` with each piece, 25 a second, while it returns true. */
async function pace(pieces: readonly (() => string)[], write: (piece: string) => boolean) {
  const start = clock();
  for (const [n, piece] of pieces.entries()) {
    if (!write(piece())) return;
    await sleep(Math.max(0, start + (n + 1) * PAUSE_MS - clock()));
  }
}

/** Sends this number of stamped chunks, 25 a second. */
export const streamChunks = (count: number, send: (chunk: string) => void): Promise<void> =>
  pace(stampedChunks(count), (chunk) => {
    send(chunk);
    return true;
  });

/** An OpenAI-compatible server that answers 25 chunks a second, as the last message requests. */
export async function startStampedProvider() {
  let running = 0;
  let peak = 0;
  const arrivals: number[] = [];
  const provider = await serveModel(async ({ messages, arrivedAt, write }) => {
    arrivals.push(performance.timeOrigin + arrivedAt);
    const last =
      [...JSON.stringify(messages).matchAll(/(?:chunks|markdown)=\d+/g)].at(-1)?.[0] ?? '';
    running += 1;
    peak = Math.max(peak, running);
    await pace(piecesFor(last), write).finally(() => {
      running -= 1;
    });
  });
  return {
    ...provider,
    /** The arrival time of each request so far, in ms of the epoch. */
    arrivals: arrivals as readonly number[],
    /** The maximum number of simultaneous answers so far. */
    peak: () => peak,
  };
}
