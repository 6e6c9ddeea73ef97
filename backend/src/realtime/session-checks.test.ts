import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sessionActor } from '../access/index.ts';
import { createLog } from '../log.ts';
import { createSessionChecks, type SessionSocket } from './session-checks.ts';

const actor = (sessionId: string) => sessionActor({ userId: 'ada', sessionId, isGuest: false });
const log = createLog({ level: 'silent', name: 'test' });
const socket = (sessionId: string): SessionSocket => ({ data: { sessionId, token: sessionId } });

const over = new Set<string>();
const asked: { token: string; touch: boolean | undefined; at: number }[] = [];
const ended: SessionSocket[] = [];

function checks(random: () => number) {
  const created = createSessionChecks<SessionSocket>({
    authenticate: async (token, options) => {
      asked.push({ token, touch: options?.touch, at: Date.now() });
      return over.has(token) ? null : actor(token);
    },
    // Like the socket server: an ended socket is closed and no longer watched.
    onEnded: (one) => {
      ended.push(one);
      created.unwatch(one);
    },
    log,
    random,
  });
  close = created.close;
  return created;
}
let close = () => {};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  close();
  vi.useRealTimers();
  over.clear();
  asked.length = 0;
  ended.length = 0;
});

it('checks a session once per period with any number of sockets, and does not count as use', async () => {
  const { watch } = checks(() => 0.5);
  for (let n = 0; n < 10; n += 1) watch(socket('s1'));
  await vi.advanceTimersByTimeAsync(31_000);
  expect(asked).toMatchObject([{ token: 's1', touch: false }]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toHaveLength(2);
});

it('spreads the checks of sessions that connected at the same time over the period', async () => {
  let drawn = 0;
  const { watch } = checks(() => drawn++ / 300);
  for (let n = 0; n < 300; n += 1) watch(socket(`s${n}`));
  await vi.advanceTimersByTimeAsync(31_000);
  expect(new Set(asked.map(({ token }) => token)).size).toBe(300);
  const times = asked.map(({ at }) => at);
  const perTick = times.map((time) => times.filter((at) => at === time).length);
  expect(Math.max(...perTick)).toBeLessThan(15);
});

it.each([
  ['at once', 0],
  ['in the middle of the period', 0.5],
  ['at the end of the period', 0.999],
])(
  'ends every socket of an expired session once, and no other, when its first check comes %s',
  async (_, random) => {
    const { watch } = checks(() => random);
    const sockets = [socket('s1'), socket('s1'), socket('s2')];
    for (const one of sockets) watch(one);
    over.add('s1');
    await vi.advanceTimersByTimeAsync(31_000);
    expect(ended).toEqual(sockets.slice(0, 2));
  },
);

it('stops checking a session without sockets', async () => {
  const { watch, unwatch } = checks(() => 0.5);
  const [first, second] = [socket('s1'), socket('s1')];
  watch(first);
  watch(second);
  unwatch(first);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(asked).toHaveLength(1);
  unwatch(second);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
});
