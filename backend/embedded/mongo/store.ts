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

/** All collections of all databases, in one SQLite file of the folder `dir`. A namespace is `database.collection`. */
export class Store {
  readonly #sqlite: Sqlite;
  #collections = new Map<string, Collection>();

  constructor(dir: string) {
    this.#sqlite = new Sqlite(path.join(dir, 'data.sqlite'));
    this.#sqlite.define(CATALOG);
    this.#sqlite.commit();
    this.#load();
  }

  find(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  /** The collections of one database, by name; of all databases without one. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()];
    const own = all.filter((c) => database === undefined || c.namespace.startsWith(`${database}.`));
    return own.toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
  }

  /** The collection, created when it does not exist. */
  ensure(namespace: string): Collection {
    const known = this.#collections.get(namespace);
    if (known) return known;
    const id = this.#newId('insert into collections(namespace) values (?) returning id', namespace);
    this.#sqlite.define(`create table d${id}(id integer primary key, doc blob)`);
    const collection = new Collection(this.#sqlite, id, namespace);
    this.#collections.set(namespace, collection);
    this.addIndex(collection, ID_INDEX);
    return collection;
  }

  drop(collection: Collection): void {
    for (const index of collection.indexes) this.#sqlite.define(`drop table x${index.id}`);
    this.#sqlite.define(`drop table d${collection.id}`);
    this.#sqlite.run('delete from indexes where collection = ?', collection.id);
    this.#sqlite.run('delete from collections where id = ?', collection.id);
    this.#collections.delete(collection.namespace);
  }

  rename(collection: Collection, namespace: string): void {
    if (this.find(namespace)) fail(48, 'target namespace exists');
    this.#sqlite.run('update collections set namespace = ? where id = ?', namespace, collection.id);
    this.#load();
  }

  addIndex(collection: Collection, source: Doc): void {
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
    this.#sqlite.define(`drop table x${index.id}`);
    this.#sqlite.run('delete from indexes where id = ?', index.id);
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
  }

  /** Runs `write` completely, or undoes it when it throws. Durable after `commit` only. */
  atomically<T>(write: () => T): T {
    try {
      return this.#sqlite.atomically(write);
    } catch (error) {
      this.#load();
      throw error;
    }
  }

  /** Makes everything durable that was written since the last time; when that fails, none of it has happened. */
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

  /** The state in memory is derived from the tables: after a rollback it is read again. */
  #load(): void {
    const rows = this.#sqlite.all<{ id: number; namespace: string }>('select * from collections');
    this.#collections = new Map(
      rows.map(({ id, namespace }) => [namespace, this.#read(id, namespace)]),
    );
  }

  #read(id: number, namespace: string): Collection {
    const collection = new Collection(this.#sqlite, id, namespace);
    const rows = this.#sqlite.all<{ id: number; spec: Uint8Array; multikey: number }>(
      'select id, spec, multikey from indexes where collection = ? order by id',
      id,
    );
    for (const row of rows) {
      const spec = parseIndex(decode(row.spec));
      collection.indexes.push({ id: row.id, spec, multikey: row.multikey === 1 });
    }
    return collection;
  }
}
