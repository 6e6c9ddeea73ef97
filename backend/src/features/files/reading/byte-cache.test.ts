import { describe, expect, it } from 'vitest';
import { createByteCache } from './byte-cache.ts';

const holding = (value: string, bytes = 10) => {
  const load = async () => {
    load.calls += 1;
    return { value, bytes };
  };
  load.calls = 0;
  return load;
};

describe('a cache bounded by bytes', () => {
  it('loads a value once for all concurrent callers', async () => {
    const cache = createByteCache<string>({ maxBytes: 100 });
    const load = holding('a');
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual(['a', 'a']);
    await cache.get('a', load);
    expect(load.calls).toBe(1);
  });

  it('drops the least recently used value', async () => {
    const cache = createByteCache<string>({ maxBytes: 25 });
    const [a, b, c] = [holding('a'), holding('b'), holding('c')];
    await cache.get('a', a);
    await cache.get('b', b);
    await cache.get('a', a);
    await cache.get('c', c);
    expect(cache.bytes).toBe(20);
    await cache.get('a', a);
    await cache.get('b', b);
    expect([a.calls, b.calls]).toEqual([1, 2]);
  });

  it('answers a value above the limit and does not keep it', async () => {
    const cache = createByteCache<string>({ maxBytes: 25 });
    expect(await cache.get('large', holding('large', 26))).toBe('large');
    expect(cache.bytes).toBe(0);
  });

  it('drops values when one of them grows', async () => {
    const cache = createByteCache<string>({ maxBytes: 25 });
    await cache.get('a', holding('a'));
    await cache.get('b', holding('b'));
    cache.grow('b', 10);
    expect(cache.bytes).toBe(20);
    cache.grow('a', 10);
    expect(cache.bytes).toBe(20);
  });

  it('does not keep a failure', async () => {
    const cache = createByteCache<string>({ maxBytes: 25 });
    const fail = async () => Promise.reject(new Error('Unreachable'));
    await expect(cache.get('a', fail)).rejects.toThrow('Unreachable');
    expect(await cache.get('a', holding('a'))).toBe('a');
  });

  it('does not count a value that was deleted while it was loaded', async () => {
    const cache = createByteCache<string>({ maxBytes: 25 });
    const loading = cache.get('a', holding('a'));
    cache.delete('a');
    await loading;
    expect(cache.bytes).toBe(0);
  });
});
