import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Doc, decode, encode } from './bson.ts';
import { Store } from './store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'stolas-store-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A document as it comes from a client. */
const typed = (doc: Doc) => decode(encode(doc));
const insert = (store: Store, doc: Doc) =>
  store.ensure('app.notes').insert(encode(doc), typed(doc));
const TAGS = typed({ name: 'tags_1', key: { tags: 1 } });
const indexOf = (store: Store) => store.find('app.notes')?.indexes.find(({ id }) => id === 2);
const refuse = () => {
  throw new Error('refused');
};

it('drops collections and indexes of an undone write, and keeps the others', () => {
  const store = new Store(dir);
  store.atomically(() => insert(store, { _id: 1 }));
  expect(() =>
    store.atomically(() => {
      store.ensure('app.other');
      store.addIndex(store.ensure('app.notes'), TAGS);
      refuse();
    }),
  ).toThrow('refused');
  expect(store.list().map(({ namespace }) => namespace)).toEqual(['app.notes']);
  expect(indexOf(store)).toBeUndefined();
  expect(() => store.atomically(refuse)).toThrow('refused');
  expect(store.list().map(({ namespace }) => namespace)).toEqual(['app.notes']);
  store.close();
});

it('stores that an index has several keys of a document, also after an undone write', () => {
  const store = new Store(dir);
  store.atomically(() => store.addIndex(store.ensure('app.notes'), TAGS));
  const severalKeys = () => insert(store, { _id: 1, tags: ['owl', 'night'] });
  expect(() =>
    store.atomically(() => {
      severalKeys();
      refuse();
    }),
  ).toThrow('refused');
  expect(indexOf(store)).toMatchObject({ multikey: false });
  store.atomically(severalKeys);
  store.commit();
  store.close();
  const opened = new Store(dir);
  expect(indexOf(opened)).toMatchObject({ multikey: true });
  opened.close();
});
