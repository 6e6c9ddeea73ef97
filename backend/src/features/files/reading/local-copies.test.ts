import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ObjectMissingError } from '../../../objects/index.ts';
import { contentKey } from '../library/file-record.ts';
import { createLocalCopies, IncompleteCopyError, type LocalCopies } from './local-copies.ts';
import { memoryObjects } from './objects.fixture.ts';

const OWNER = 'a'.repeat(24);
const fileOf = (id: string, size = 5) => ({ id, ownerId: OWNER, size });
const [OWL, CAT, DOG] = [fileOf('owl'), fileOf('cat'), fileOf('dog')] as const;

let copies: LocalCopies;
afterEach(() => copies.close());

const open = (options: { idleBytes?: number; idleMs?: number } = {}) => {
  const objects = memoryObjects();
  for (const file of [OWL, CAT, DOG]) objects.stored.set(contentKey(file), Buffer.from('hoots'));
  copies = createLocalCopies({ objects, ...options });
  return objects;
};

const pathOf = (file: typeof OWL) => copies.withLocalCopy(file, async (path) => path);

describe('a local copy', () => {
  it('has the bytes of the file and is downloaded once', async () => {
    const objects = open();
    const text = (path: string) => readFile(path, 'utf8');
    const [one, two] = [copies.withLocalCopy(OWL, text), copies.withLocalCopy(OWL, text)];
    expect([await one, await two]).toEqual(['hoots', 'hoots']);
    expect(await copies.withLocalCopy(OWL, text)).toBe('hoots');
    expect(objects.reads).toBe(1);
  });

  it.each([
    ['fewer', 6],
    ['more', 4],
  ])('of a file that has %s bytes in the store is refused', async (_, size) => {
    open();
    await expect(pathOf({ ...OWL, size })).rejects.toBeInstanceOf(IncompleteCopyError);
  });

  it('that could not be downloaded is downloaded again', async () => {
    const objects = open();
    objects.stored.clear();
    await expect(pathOf(OWL)).rejects.toBeInstanceOf(ObjectMissingError);
    objects.stored.set(contentKey(OWL), Buffer.from('hoots'));
    expect(existsSync(await pathOf(OWL))).toBe(true);
  });

  it('is removed when idle copies take too much, the least recently used one first', async () => {
    open({ idleBytes: 10 });
    const [owl, cat] = [await pathOf(OWL), await pathOf(CAT)];
    await pathOf(OWL);
    const dog = await pathOf(DOG);
    await expect.poll(() => existsSync(cat)).toBe(false);
    expect([existsSync(owl), existsSync(dog)]).toEqual([true, true]);
  });

  it.each([{ idleBytes: 0 }, { idleMs: 1 }])('stays while it is used, with %o', async (options) => {
    open(options);
    const path = await copies.withLocalCopy(OWL, async (used) => {
      await copies.withLocalCopy(OWL, async () => undefined);
      const cat = await pathOf(CAT);
      await expect.poll(() => existsSync(cat)).toBe(false);
      expect(existsSync(used)).toBe(true);
      return used;
    });
    await expect.poll(() => existsSync(path)).toBe(false);
  });

  it('is removed when it has not been used for a while', async () => {
    open({ idleMs: 1 });
    const path = await pathOf(OWL);
    await expect.poll(() => existsSync(path)).toBe(false);
  });

  it('is removed when the copies are closed', async () => {
    open();
    const path = await pathOf(OWL);
    await copies.close();
    expect(existsSync(path)).toBe(false);
  });
});
