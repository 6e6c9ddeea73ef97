import path from 'node:path';
import { type Doc, decode, encode } from './bson.ts';
import { Collection, type Index } from './collection.ts';
import { fail } from './errors.ts';
import { ID_INDEX, parseIndex } from './index-spec.ts';
import { Sqlite } from './sqlite.ts';
import { textTable } from './text-index.ts';

const CATALOG = `
  create table if not exists collections (id integer primary key, namespace text unique);
  create table if not exists indexes (id integer primary key, collection integer, spec blob, multikey integer);
`;

interface IndexRow {
  id: number;
  collection: number;
  spec: Uint8Array;
  multikey: number;
}

/** All collections of all databases, in one SQLite file of the folder `dir`. A namespace is `database.collection`. */
export class Store {
  readonly #sqlite: Sqlite;
  #collections = new Map<string, Collection>();
  /** Whether a write changed collections or indexes since the last savepoint. */
  #isCatalogChanged = false;

  constructor(dir: string) {
    this.#sqlite = new Sqlite(path.join(dir, 'data.sqlite'));
    this.#sqlite.define(CATALOG);
    this.#sqlite.commit();
    this.#load();
  }

  find(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  /** The collections of one database, by name; without a database, of all. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()];
    const own = all.filter((c) => database === undefined || c.namespace.startsWith(`${database}.`));
    return own.toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
  }

  /** The collection, created when it does not exist. */
  ensure(namespace: string): Collection {
    const known = this.#collections.get(namespace);
    if (known) return known;
    this.#noteChange();
    const id = this.#newId('insert into collections(namespace) values (?) returning id', namespace);
    this.#sqlite.define(`create table d${id}(id integer primary key, doc blob)`);
    const collection = this.#collection(id, namespace);
    this.#collections.set(namespace, collection);
    this.addIndex(collection, ID_INDEX);
    return collection;
  }

  drop(collection: Collection): void {
    this.#noteChange();
    for (const index of collection.indexes) this.#sqlite.define(`drop table x${index.id}`);
    this.#sqlite.define(`drop table d${collection.id}`);
    this.#sqlite.run('delete from indexes where collection = ?', collection.id);
    this.#sqlite.run('delete from collections where id = ?', collection.id);
    this.#collections.delete(collection.namespace);
  }

  rename(collection: Collection, namespace: string): void {
    if (this.find(namespace)) fail(48, 'target namespace exists');
    this.#noteChange();
    this.#sqlite.run('update collections set namespace = ? where id = ?', namespace, collection.id);
    this.#load();
  }

  addIndex(collection: Collection, source: Doc): void {
    this.#noteChange();
    const spec = parseIndex(source);
    const id = this.#newId(
      'insert into indexes(collection, spec, multikey) values (?, ?, 0) returning id',
      collection.id,
      encode(spec.source),
    );
    this.#sqlite.define(
      spec.text
        ? textTable(`x${id}`, spec.text)
        : `create table x${id}(key blob, id integer, primary key (key, id)) without rowid`,
    );
    const index = { id, spec, multikey: false };
    collection.build(index);
    collection.indexes.push(index);
  }

  dropIndex(collection: Collection, index: Index): void {
    this.#noteChange();
    this.#sqlite.define(`drop table x${index.id}`);
    this.#sqlite.run('delete from indexes where id = ?', index.id);
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
  }

  /** Runs `write` completely, or undoes it when it throws. Durable after `commit` only. */
  atomically<T>(write: () => T): T {
    this.#isCatalogChanged = false;
    try {
      return this.#sqlite.atomically(write);
    } catch (error) {
      // Most refused writes are duplicate keys. Reading the catalog for each would block all clients of a large one.
      if (this.#isCatalogChanged) this.#load();
      throw error;
    }
  }

  /** Makes all writes since the last commit durable; on failure, none of them has happened. */
  commit(): void {
    try {
      this.#sqlite.commit();
    } catch (error) {
      this.#sqlite.rollback();
      this.#load();
      throw error;
    }
  }

  close(): void {
    this.#sqlite.close();
  }

  #newId(sql: string, ...values: (number | string | Uint8Array)[]): number {
    const [row] = this.#sqlite.all<{ id: number }>(sql, ...values);
    if (!row) throw new Error('SQLite gave no id.');
    return row.id;
  }

  /** The state in memory is derived from the tables, so it is read again after a rollback. */
  #load(): void {
    const byId = new Map<number, Collection>();
    for (const { id, namespace } of this.#sqlite.all<{ id: number; namespace: string }>(
      'select id, namespace from collections',
    ))
      byId.set(id, this.#collection(id, namespace));
    for (const row of this.#sqlite.all<IndexRow>('select * from indexes order by id')) {
      const spec = parseIndex(decode(row.spec));
      const index = { id: row.id, spec, multikey: row.multikey === 1 };
      byId.get(row.collection)?.indexes.push(index);
    }
    this.#collections = new Map([...byId.values()].map((known) => [known.namespace, known]));
  }

  #collection(id: number, namespace: string): Collection {
    return new Collection(this.#sqlite, { id, namespace, onIndexChange: () => this.#noteChange() });
  }

  #noteChange(): void {
    this.#isCatalogChanged = true;
  }
}
