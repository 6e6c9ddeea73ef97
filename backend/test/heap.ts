import { expect } from 'vitest';
import { inspectHeap } from './inspector.ts';
import type { TestProcess } from './processes.ts';

/** The environment of a process whose heap a test reads. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** See `inspectHeap`. The process must have been started with `INSPECTED`. */
export async function openHeap(process: TestProcess): Promise<() => Promise<number>> {
  const url = () => /Debugger listening on (ws:\S+)/.exec(process.output())?.[1];
  await expect.poll(url).toBeDefined();
  return inspectHeap(url() ?? '');
}
