import { once } from 'node:events';
import { WebSocket } from 'ws';

interface Evaluated {
  result?: { value?: unknown };
}

/** Reads the bytes that a process uses after garbage collection: objects and buffers. `url` is that of its inspector. */
export async function inspectHeap(url: string): Promise<() => Promise<number>> {
  const ws = new WebSocket(url);
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
