import { beforeEach, expect, it, vi } from 'vitest';
import { readItem, readItems, removeItem, writeItem } from './storage.ts';

const ROOM = 100;
let stored: Map<string, string>;

// The browser lists the items of the storage as its own properties.
beforeEach(() => {
  stored = new Map();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => {
      const others = [...stored].filter(([other]) => other !== key);
      const used = others.reduce((sum, entry) => sum + entry.join('').length, 0);
      if (used + key.length + value.length > ROOM) throw new DOMException('', 'QuotaExceededError');
      stored.set(key, value);
    },
    removeItem: (key: string) => void stored.delete(key),
  };
  const ownKeys = () => [...stored.keys()];
  const getOwnPropertyDescriptor = () => ({ enumerable: true, configurable: true });
  vi.stubGlobal('localStorage', new Proxy(storage, { ownKeys, getOwnPropertyDescriptor }));
});

it('has the last value also where the storage is full and has an earlier one', () => {
  writeItem('unsent:1', 'waits');
  writeItem('unsent:1', 'refused'.padEnd(ROOM));
  expect(readItem('unsent:1')).toContain('refused');
  expect(readItems('unsent:')).toEqual([expect.stringContaining('refused')]);
  removeItem('unsent:1');
  expect(readItem('unsent:1')).toBeNull();
});

it('stores what had no room as soon as there is some', () => {
  writeItem('draft', 'written'.padEnd(ROOM - 10));
  writeItem('unsent:1', 'written'.padEnd(ROOM - 10));
  expect([...stored.keys()]).toEqual(['draft']);
  removeItem('draft');
  expect([...stored.keys()]).toEqual(['unsent:1']);
  expect(readItem('unsent:1')).toContain('written');
});
