/**
 * Benchmark `capacity`: the delay of a delta from the provider to a socket while many replies stream at once, with one web and one worker
 * process. The baseline is a bare Socket.IO server that sends the same chunks. `npm run bench -- capacity [streams …]`
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { givenLoad, measureInChild, report, runReceivers } from './lib/in-child.ts';
import { ms, p50, p95 } from './lib/quantiles.ts';
import type { Received } from './lib/receivers.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';
import { clock, stampsIn, streamChunks } from './lib/stamped-provider.ts';

const BUDGETS: Record<number, number> = { 1_000: 150, 2_000: 400 };
/** 20 s of a reply. */
const CHUNKS = 500;

async function measure() {
  const streams = process.argv.slice(2).map(Number);
  const loads = streams.length > 0 ? streams : [500, ...Object.keys(BUDGETS).map(Number)];
  const machine = describeMachine();
  const rows: (string | number)[][] = [];
  const verdicts: Parameters<typeof printVerdicts>[0][number][] = [];
  for (const replies of loads) {
    const { received, peak } = await measureProduct(replies);
    const floor = await measureInChild('floor', '', { replies, chunks: CHUNKS });
    rows.push(rowOf(`${replies} replies`, received, peak));
    rows.push(rowOf(`floor: ${replies} sockets`, floor, replies));
    const budget = BUDGETS[replies];
    if (budget === undefined) continue;
    const reached = p95(received.steady);
    verdicts.push({
      promise: `${replies} replies: steady p95 ≤ ${budget} ms, all complete`,
      measured: ms(reached),
      kept: reached <= budget,
    });
  }
  console.log(`\ncapacity: ${CHUNKS} chunks per reply, 25 a second\n${machine}\n`);
  printTable(['provider chunk to socket', 'p50', 'p95', 'max', 'at once'], rows);
  printVerdicts(verdicts);
}

function rowOf(name: string, { steady }: Received, atOnce: number): (string | number)[] {
  const greatest = steady.reduce((most, delay) => Math.max(most, delay), 0);
  return [name, ms(p50(steady)), ms(p95(steady)), ms(greatest), atOnce];
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
