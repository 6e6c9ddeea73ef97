import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog, type Log } from './log.ts';

let lines: { msg: string; leftOut?: number; err?: { message: string } }[];
let log: Log;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  log = createLog(
    { level: 'info', name: 'test' },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
});
afterEach(() => void vi.useRealTimers());

const refuse = (slot: number) =>
  log.warn({ err: new Error(`MOVED ${slot} 10.0.0.1:7000`) }, 'queue failed');

describe('the log', () => {
  it('writes a repeated failure at most 10 times in 10 s, then says how many were left out', () => {
    for (let n = 0; n < 10_000; n += 1) refuse(n);
    expect(lines.map(({ msg }) => msg)).toEqual(Array(10).fill('queue failed'));
    vi.advanceTimersByTime(10_000);
    expect(lines.slice(10)).toMatchObject([{ msg: 'queue failed', leftOut: 9_990 }]);
    refuse(1);
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)?.err?.message).toBe('MOVED 1 10.0.0.1:7000');
  });

  it('says nothing of left out lines when there were none', () => {
    for (let n = 0; n < 10; n += 1) refuse(n);
    vi.advanceTimersByTime(20_000);
    expect(lines).toHaveLength(10);
  });

  it('counts different failures apart, and leaves out no line without an error', () => {
    for (let n = 0; n < 20; n += 1) {
      refuse(n);
      log.warn({ err: new Error('OOM command not allowed') }, 'queue failed');
      log.child({ queue: 'a' }).warn({ err: new Error('OOM command not allowed') }, 'queue failed');
      log.info({ path: '/api/plans' }, 'request');
    }
    expect(lines.filter(({ err }) => err?.message.startsWith('MOVED'))).toHaveLength(10);
    expect(lines.filter(({ err }) => err?.message.startsWith('OOM'))).toHaveLength(10);
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(20);
  });
});
