import { describe, expect, it } from 'vitest';
import { unavailable } from '../errors.ts';
import { createTurn } from './turns.ts';

/** Calls that run until the test ends them. */
function startCalls() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => {
      ends.set(name, () => resolve(name));
    });
  };
  return { started, call, end: (name: string) => ends.get(name)?.() };
}

function silentDatabase(): Error {
  const error = new Error('timed out');
  error.name = 'MongoNetworkTimeoutError';
  return error;
}

describe('createTurn', () => {
  it('runs so many calls at once, and others in the order in which they came', async () => {
    const { started, call, end } = startCalls();
    const turn = createTurn({ atOnce: 2 });
    const names = ['first', 'second', 'third', 'fourth'];
    const all = names.map((name) => turn(call(name)));
    expect(started).toEqual(['first', 'second']);
    end('second');
    expect(await all[1]).toBe('second');
    await expect.poll(() => started).toEqual(['first', 'second', 'third']);
    for (const name of ['third', 'fourth', 'first']) {
      await expect.poll(() => started).toContain(name);
      end(name);
    }
    expect(started).toEqual(names);
    expect(await Promise.all(all)).toEqual(names);
  });

  it('refuses a call that has waited too long, without running it', async () => {
    const { started, call } = startCalls();
    const turn = createTurn({ atOnce: 1, maxWaitMs: -1 });
    const refused = { code: 'unavailable', retryAfter: 2 };
    await expect(turn(call('late'))).rejects.toMatchObject(refused);
    expect(started).toEqual([]);
  });

  it.each([
    ['that fails', silentDatabase()],
    ['that is refused', unavailable(silentDatabase())],
  ])(
    'refuses those that wait for a call %s for want of the database, and runs later ones',
    async (_how, error) => {
      const turn = createTurn({ atOnce: 1 });
      const failed = turn(() => Promise.reject(error));
      const waiting = turn(async () => 'waiting');
      await expect(failed).rejects.toBe(error);
      await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
      expect(await turn(async () => 'later')).toBe('later');
    },
  );

  it.each([
    ['by a fault', new Error('failed')],
    ['because its own user does too much at once', unavailable()],
  ])('runs those that wait for a call that fails %s', async (_why, error) => {
    const turn = createTurn({ atOnce: 1 });
    const failed = turn(() => Promise.reject(error));
    const next = turn(async () => 'next');
    await expect(failed).rejects.toBe(error);
    expect(await next).toBe('next');
  });
});
