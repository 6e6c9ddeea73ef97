/**
 * Benchmark `capacity`: the delay of a delta from the provider to a socket while many replies stream at once, with one web and one worker
 * process. The baseline is a bare Socket.IO server that sends the same chunks. `npm run bench -- capacity [streams …]`
 */
import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { serve } from '../src/http/serve.fixture.ts';
import { givenLoad, measureInChild, report, runReceivers } from './lib/in-child.ts';
import { ms, p95 } from './lib/quantiles.ts';
import type { Received } from './lib/receivers.ts';
import {
  atMost,
  delayRow,
  printTable,
  printTitle,
  printVerdicts,
  type Verdict,
} from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';
import { clock, stampsIn, streamChunks } from './lib/stamped-provider.ts';

const BUDGETS: Record<number, number> = { 1_000: 150, 2_000: 400 };
/** 20 s of a reply. */
const CHUNKS = 500;

async function measure() {
  const streams = process.argv.slice(2).map(Number);
  const loads = streams.length > 0 ? streams : [500, ...Object.keys(BUDGETS).map(Number)];
  const rows: (string | number)[][] = [];
  const verdicts: Verdict[] = [];
  for (const replies of loads) {
    const { received, peak } = await measureProduct(replies);
    const floor = await measureInChild('floor', '', { replies, chunks: CHUNKS });
    rows.push(rowOf(`${replies} replies`, received, peak));
    rows.push(rowOf(`floor: ${replies} sockets`, floor, replies));
    const budget = BUDGETS[replies];
    if (budget !== undefined)
      verdicts.push(
        atMost(`${replies} replies, all complete: steady p95`, p95(received.steady), budget),
      );
  }
  printTitle(`capacity: ${CHUNKS} chunks per reply, 25 a second`);
  printTable(['provider chunk to socket', 'p50', 'p95', 'max', 'at once'], rows);
  printVerdicts(verdicts);
}

function rowOf(name: string, { steady }: Received, atOnce: number): (string | number)[] {
  const greatest = steady.reduce((most, delay) => Math.max(most, delay), 0);
  return delayRow(name, steady, ms(greatest), atOnce);
}

async function measureProduct(replies: number): Promise<{ received: Received; peak: number }> {
  const { provider, product, stop } = await startStampedProduct({
    WORKER_CONCURRENCY: String(replies),
  });
  try {
    const load = { replies, chunks: CHUNKS };
    return {
      received: await measureInChild('receivers', product.url, load),
      peak: provider.peak(),
    };
  } finally {
    await stop();
  }
}

/** Server and sockets of the baseline share one process; nothing is stored. */
async function runFloor() {
  const { replies, chunks } = givenLoad().load;
  const server = createServer();
  new Server(server, { transports: ['websocket'] }).on('connection', (socket) => {
    socket.on('ask', () => {
      void streamChunks(chunks, (delta) => socket.emit('reply:delta', { delta }));
    });
  });
  const { url } = await serve(server);
  const delays: number[] = [];
  const read = async () => {
    const socket = io(url, { transports: ['websocket'], forceNew: true });
    await new Promise<void>((resolve) => {
      let left = chunks;
      socket.on('reply:delta', ({ delta }: { delta: string }) => {
        const now = clock();
        for (const { sentAt } of stampsIn(delta)) delays.push(now - sentAt);
        left -= 1;
        if (left === 0) resolve();
      });
      socket.once('connect', () => socket.emit('ask'));
    });
    socket.disconnect();
  };
  await Promise.all(Array.from({ length: replies }, read));
  report({ delays, steady: delays });
}

const role = process.argv[2];
if (role === 'receivers') await runReceivers();
else if (role === 'floor') await runFloor();
else await measure();
