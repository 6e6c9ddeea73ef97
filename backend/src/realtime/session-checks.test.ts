import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../log.ts';
import { createSessionChecks, type SessionSocket } from './session-checks.ts';

const PERIOD_MS = 5 * 60_000;
const socket = (sessionId: string): SessionSocket => ({ data: { userId: 'ada', sessionId } });

let over: Set<string>;
/** The sessions of each query. */
let queries: string[][];
let ended: SessionSocket[];
let isDatabaseDown: boolean;
let checks: { close: () => void };
let open: Set<SessionSocket>;

beforeEach(() => {
  vi.useFakeTimers();
  [over, queries, ended, isDatabaseDown] = [new Set(), [], [], false];
  open = new Set();
  checks = createSessionChecks<SessionSocket>({
    sockets: () => open,
    findEndedSessions: async (sessions) => {
      const ids = sessions.map(({ sessionId }) => sessionId);
      queries.push(ids);
      if (isDatabaseDown) throw new Error('The database does not answer.');
      return ids.filter((id) => over.has(id));
    },
    // Like the socket server: an ended socket is closed.
    onEnded: (one) => {
      ended.push(one);
      open.delete(one);
    },
    log: createLog({ level: 'silent', name: 'test' }),
  });
});
afterEach(() => {
  checks.close();
  vi.useRealTimers();
});

it('checks all sessions by one query per period, each once with any number of sockets', async () => {
  for (let n = 0; n < 300; n += 1) open.add(socket(`s${n % 100}`));
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(queries.map((ids) => ids.length)).toEqual([100]);
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(queries.map((ids) => ids.length)).toEqual([100, 100]);
});

it('checks very many sessions in several queries', async () => {
  for (let n = 0; n < 1_200; n += 1) open.add(socket(`s${n}`));
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(queries.map((ids) => ids.length)).toEqual([500, 500, 200]);
  expect(new Set(queries.flat()).size).toBe(1_200);
});

it('ends every socket of an expired session once, and no other', async () => {
  const sockets = [socket('s1'), socket('s1'), socket('s2')];
  for (const one of sockets) open.add(one);
  over.add('s1');
  await vi.advanceTimersByTimeAsync(2 * PERIOD_MS);
  expect(ended).toEqual(sockets.slice(0, 2));
});

it('checks again after a failed query', async () => {
  const one = socket('s1');
  open.add(one);
  over.add('s1');
  isDatabaseDown = true;
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(ended).toEqual([]);
  isDatabaseDown = false;
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(ended).toEqual([one]);
});

it('stops checking a session without sockets', async () => {
  const [first, second] = [socket('s1'), socket('s1')];
  open.add(first);
  open.add(second);
  open.delete(first);
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(queries).toEqual([['s1']]);
  open.delete(second);
  await vi.advanceTimersByTimeAsync(PERIOD_MS);
  expect(queries).toEqual([['s1']]);
});
