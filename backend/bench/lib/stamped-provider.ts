import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const FRAMES_PER_SECOND = 25;
const PAUSE_MS = 1_000 / FRAMES_PER_SECOND;

/** Milliseconds of the epoch with fractions; the same clock for every process and page of one machine. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** Each chunk carries its number and the moment it was sent: `m12t1795229222155.5z`. */
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

const event = (payload: unknown) => `data: ${JSON.stringify(payload)}\n\n`;

async function stream(response: ServerResponse, chunks: number) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const start = clock();
  for (let n = 0; n < chunks && !response.destroyed; n += 1) {
    const delta = { content: chunkText(n) };
    response.write(event({ id: 'b', choices: [{ index: 0, delta, finish_reason: null }] }));
    await sleep(Math.max(0, start + (n + 1) * PAUSE_MS - clock()));
  }
  response.write(event({ id: 'b', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  response.end('data: [DONE]\n\n');
}

interface StampedProvider {
  url: string;
  /** The most answers that were streaming at one moment so far. */
  peak: () => number;
  stop: () => void;
}

/** An OpenAI-compatible server whose answers are `chunks=<n>` stamped pieces, 25 a second. */
export async function startStampedProvider(): Promise<StampedProvider> {
  let running = 0;
  let peak = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      const chunks = Number([...body.matchAll(/chunks=(\d+)/g)].at(-1)?.[1] ?? 100);
      running += 1;
      peak = Math.max(peak, running);
      void stream(response, chunks).finally(() => {
        running -= 1;
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    peak: () => peak,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
