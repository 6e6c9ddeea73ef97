import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { TestProcess } from './processes.ts';

/** The environment of a process whose heap a test reads. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Evaluated {
  result?: { value?: unknown };
}

/**
 * Reads the bytes that a process uses after garbage collection: objects and buffers. The process must have been started with `INSPECTED`.
 */
export async function openHeap(process: TestProcess): Promise<() => Promise<number>> {
  const url = () => /Debugger listening on (ws:\S+)/.exec(process.output())?.[1];
  await expect.poll(url).toBeDefined();
  const ws = new WebSocket(url() ?? '');
  await once(ws, 'open');
  const answers = new Map<number, (result: Evaluated) => void>();
  ws.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: Evaluated };
    answers.get(id)?.(result);
    answers.delete(id);
  });
  let lastId = 0;
  const call = (method: string, params: object = {}) =>
    new Promise<Evaluated>((resolve) => {
      lastId += 1;
      answers.set(lastId, resolve);
      ws.send(JSON.stringify({ id: lastId, method, params }));
    });
  return async () => {
    await call('HeapProfiler.collectGarbage');
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
    const { result } = await call('Runtime.evaluate', { expression });
    return Number(result?.value);
  };
}
