import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

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

describe('createTurns', () => {
  it('runs so many calls at once, then those that go sooner, each kind in its order', async () => {
    const { started, call, end } = startCalls();
    const turns = createTurns({ atOnce: 2 });
    const first = turns.later(call('first'));
    const all = [
      turns.later(call('second')),
      turns.later(call('a read')),
      turns.sooner(call('a send')),
      turns.sooner(call('another send')),
    ];
    expect(started).toEqual(['first', 'second']);
    end('first');
    expect(await first).toBe('first');
    await expect.poll(() => started).toEqual(['first', 'second', 'a send']);
    for (const name of ['a send', 'another send', 'a read', 'second']) {
      await expect.poll(() => started).toContain(name);
      end(name);
    }
    expect(started).toEqual(['first', 'second', 'a send', 'another send', 'a read']);
    expect(await Promise.all(all)).toHaveLength(4);
  });

  it('refuses a call that has waited too long, without running it', async () => {
    const { started, call, end } = startCalls();
    const turns = createTurns({ atOnce: 1, maxWaitMs: -1 });
    const refused = { code: 'unavailable', retryAfter: 2 };
    await expect(turns.sooner(call('late'))).rejects.toMatchObject(refused);
    expect(started).toEqual([]);
    end('late');
  });

  it('refuses those that wait when a call fails for want of the database, and runs later ones', async () => {
    const turns = createTurns({ atOnce: 1 });
    const silent = new Error('timed out');
    silent.name = 'MongoNetworkTimeoutError';
    const failed = turns.sooner(() => Promise.reject(silent));
    const waiting = turns.later(async () => 'waiting');
    await expect(failed).rejects.toBe(silent);
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(await turns.later(async () => 'later')).toBe('later');
  });

  it('goes on after a call that fails', async () => {
    const turns = createTurns({ atOnce: 1 });
    const failed = turns.sooner(() => Promise.reject(new Error('failed')));
    const next = turns.later(async () => 'next');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
