import { isDeepStrictEqual } from 'node:util';
import { type Doc, decode, requireDepth } from './bson.ts';
import { fail } from './errors.ts';
import { type IndexSpec, indexKeys } from './index-spec.ts';
import { valuesAt } from './paths.ts';
import type { Sqlite } from './sqlite.ts';
import { columnsOf, type TextEntry, textEntry } from './text-index.ts';
import { show } from './values.ts';

/** The text scores of the documents that a text search found. */
export const textScores = new WeakMap<Doc, number>();

/** A stored document; decoded on first use. */
export class Row {
  readonly id: number;
  readonly raw: Uint8Array;
  /** Its score in a text search. */
  readonly score: number | undefined;
  #doc: Doc | undefined;

  constructor(id: number, raw: Uint8Array, score?: number) {
    this.id = id;
    this.raw = raw;
    this.score = score;
  }

  /** The same row without its decoded document, which takes memory. */
  undecoded(): Row {
    return new Row(this.id, this.raw, this.score);
  }

  /** Shared: callers that change it work on a clone. */
  get doc(): Doc {
    if (!this.#doc) {
      this.#doc = decode(this.raw);
      if (this.score !== undefined) textScores.set(this.#doc, this.score);
    }
    return this.#doc;
  }
}

export interface Index {
  id: number;
  spec: IndexSpec;
  /** True once a document had several keys in it: its ranges and orders can then be used only in part. */
  multikey: boolean;
}

/** A text search: its index, and the expression for SQLite's full-text search. */
export interface TextMatch {
  index: Index;
  match: string;
}

/** A span of index keys: from (inclusive), to (exclusive). */
export type Span = readonly [Buffer, Buffer];

const PAGE_BYTES = 1_000_000;
const PAGE_ROWS = 1_000;

interface Found {
  key: Uint8Array;
  id: number;
  raw: Uint8Array;
}

interface CollectionOptions {
  id: number;
  namespace: string;
  /** Called before an index becomes multikey, so that undoing the write also undoes that. */
  onIndexChange: () => void;
}

/**
 * The documents of one collection and its indexes, each a table of (key, row). A document is checked against every unique index before any
 * write, so a refused write changes nothing.
 */
export class Collection {
  readonly id: number;
  readonly namespace: string;
  readonly indexes: Index[] = [];
  readonly #sqlite: Sqlite;
  readonly #onIndexChange: () => void;

  constructor(sqlite: Sqlite, { id, namespace, onIndexChange }: CollectionOptions) {
    this.#sqlite = sqlite;
    this.id = id;
    this.namespace = namespace;
    this.#onIndexChange = onIndexChange;
  }

  insert(raw: Uint8Array, doc: Doc): void {
    requireDepth(doc);
    const entries = this.#ordered().map((index) => ({ index, keys: this.#keys(index, doc) }));
    const texts = this.#texts(null, doc);
    for (const { index, keys } of entries) this.#requireFree(index, keys, { doc });
    const [row] = this.#sqlite.all<{ id: number }>(
      `insert into d${this.id}(doc) values (?) returning id`,
      raw,
    );
    for (const { index, keys } of entries) this.#add(index, keys, row?.id ?? 0);
    for (const { index, entry } of texts) this.#addText(index, entry, row?.id ?? 0);
  }

  replace(row: Row, raw: Uint8Array, doc: Doc): void {
    requireDepth(doc);
    const texts = this.#texts(row.doc, doc);
    const changes = this.#ordered().map((index) => {
      const [before, now] = [this.#keys(index, row.doc), this.#keys(index, doc)];
      return { index, removed: without(before, now), added: without(now, before) };
    });
    for (const { index, added } of changes)
      this.#requireFree(index, added, { doc, except: row.id });
    this.#sqlite.run(`update d${this.id} set doc = ? where id = ?`, raw, row.id);
    for (const { index, removed, added } of changes) {
      this.#remove(index, removed, row.id);
      this.#add(index, added, row.id);
    }
    for (const { index, entry } of texts) {
      this.#removeText(index, row.id);
      this.#addText(index, entry, row.id);
    }
  }

  remove(row: Row): void {
    for (const index of this.#ordered()) this.#remove(index, this.#keys(index, row.doc), row.id);
    for (const index of this.#textIndexes()) this.#removeText(index, row.id);
    this.#sqlite.run(`delete from d${this.id} where id = ?`, row.id);
  }

  /**
   * Fills a new index.
   * @throws MongoError 11000 when documents collide in it.
   */
  build(index: Index): void {
    const { text } = index.spec;
    for (const row of this.scan()) {
      if (text) {
        this.#addText(index, textEntry(text, row.doc), row.id);
        continue;
      }
      const keys = this.#keys(index, row.doc);
      this.#requireFree(index, keys, { doc: row.doc });
      this.#add(index, keys, row.id);
    }
  }

  /** The number of documents. */
  size(): number {
    const sql = `select count(*) as n from ${table(this.indexes[0])}`;
    return this.#sqlite.all<{ n: number }>(sql)[0]?.n ?? 0;
  }

  /** The number of entries of an index in a span. */
  entries(index: Index, [from, to]: Span): number {
    const sql = `select count(*) as n from ${table(index)} where key >= ? and key < ?`;
    return this.#sqlite.all<{ n: number }>(sql, from, to)[0]?.n ?? 0;
  }

  /** All documents in the order of their insertion. The iteration may be paused while writes happen. */
  *scan(): Generator<Row> {
    const sql = `select id, doc as raw from d${this.id} where id > ? order by id limit ?`;
    let last = -1;
    for (const size = new PageSize(64); ; ) {
      const rows = this.#sqlite.all<Found>(sql, last, size.rows);
      for (const { id, raw } of rows) yield new Row(id, raw);
      last = rows.at(-1)?.id ?? last;
      if (!size.next(rows)) return;
    }
  }

  /**
   * The documents of a span in the order of the index; with `among`, only the results of a text search. The iteration may be paused while
   * writes happen.
   */
  *walk(
    index: Index,
    [from, to]: Span,
    options: { reverse: boolean; wanted: number; among?: TextMatch },
  ): Generator<Row> {
    const { among } = options;
    const text = among ? table(among.index) : '';
    const found = among ? `and x.id in (select rowid from ${text} where ${text} match ?)` : '';
    const low = `(x.key, x.id) > (?, ?) and x.key < ? ${found} order by x.key, x.id`;
    const high = `(x.key, x.id) < (?, ?) and x.key >= ? ${found} order by x.key desc, x.id desc`;
    const sql = `select x.key as key, x.id as id, d.doc as raw from ${table(index)} x
      join d${this.id} d on d.id = x.id where ${options.reverse ? high : low} limit ?`;
    let last: Pick<Found, 'key' | 'id'> = { key: options.reverse ? to : from, id: -1 };
    for (const size = new PageSize(options.wanted); ; ) {
      const end = options.reverse ? from : to;
      const match = among ? [among.match] : [];
      const rows = this.#sqlite.all<Found>(sql, last.key, last.id, end, ...match, size.rows);
      for (const { id, raw } of rows) yield new Row(id, raw);
      last = rows.at(-1) ?? last;
      if (!size.next(rows)) return;
    }
  }

  /** Whether a text search finds more than `count` documents. */
  findsMore({ index, match }: TextMatch, count: number): boolean {
    const found = this.#sqlite.all<unknown>(
      `select rowid from ${table(index)} where ${table(index)} match ? limit ?`,
      match,
      count + 1,
    );
    return found.length > count;
  }

  /** The results of a text search, best first. The iteration may be paused while writes happen. */
  *search(index: Index, match: string): Generator<Row> {
    const weights = index.spec.text?.fields.map(({ weight }) => weight.toFixed(6)) ?? [];
    const found = this.#sqlite.all<{ id: number; score: number }>(
      `select rowid as id, -bm25(${table(index)}, ${['0.0', ...weights].join(', ')}) as score
        from ${table(index)} where ${table(index)} match ? order by score desc, rowid`,
      match,
    );
    for (const { id, score } of found) {
      const sql = `select doc as raw from d${this.id} where id = ?`;
      const [row] = this.#sqlite.all<{ raw: Uint8Array }>(sql, id);
      if (row) yield new Row(id, row.raw, score);
    }
  }

  #ordered(): Index[] {
    return this.indexes.filter(({ spec }) => !spec.text);
  }

  #textIndexes(): Index[] {
    return this.indexes.filter(({ spec }) => spec.text);
  }

  /** The entries of a document in the text indexes; null when they equal those of `before`. */
  #texts(before: Doc | null, doc: Doc): { index: Index; entry: TextEntry | null }[] {
    return this.#textIndexes().flatMap((index) => {
      const { text } = index.spec;
      const entry = text && textEntry(text, doc);
      const same = text && before && isDeepStrictEqual(entry, textEntry(text, before));
      return same ? [] : [{ index, entry }];
    });
  }

  #addText(index: Index, entry: TextEntry | null, id: number): void {
    if (!entry) return;
    const marks = entry.texts.map(() => '?').join(', ');
    this.#sqlite.run(
      `insert into ${table(index)}(rowid, prefix, ${columnsOf(entry.texts)}) values (?, ?, ${marks})`,
      id,
      entry.prefix,
      ...entry.texts,
    );
  }

  #removeText(index: Index, id: number): void {
    this.#sqlite.run(`delete from ${table(index)} where rowid = ?`, id);
  }

  #keys(index: Index, doc: Doc): Buffer[] {
    const { keys, many } = indexKeys(index.spec, doc);
    if (many && !index.multikey) {
      this.#onIndexChange();
      index.multikey = true;
      this.#sqlite.run('update indexes set multikey = 1 where id = ?', index.id);
    }
    return keys;
  }

  #requireFree(index: Index, keys: Buffer[], { doc, except = -1 }: { doc: Doc; except?: number }) {
    if (!index.spec.unique) return;
    const sql = `select id from ${table(index)} where key = ? and id <> ? limit 1`;
    for (const key of keys) {
      if (this.#sqlite.all(sql, key, except).length > 0) this.#duplicate(index.spec, doc);
    }
  }

  #duplicate(spec: IndexSpec, doc: Doc): never {
    const keyValue = Object.fromEntries(
      spec.fields.map(({ name, path }) => [name, valuesAt(doc, path)[0] ?? null]),
    );
    const text = `E11000 duplicate key error collection: ${this.namespace} index: ${spec.name} dup key: ${show(keyValue)}`;
    return fail(11000, text, { keyPattern: spec.source.key, keyValue });
  }

  #add(index: Index, keys: Buffer[], id: number): void {
    for (const key of keys) this.#sqlite.run(`insert into ${table(index)} values (?, ?)`, key, id);
  }

  #remove(index: Index, keys: Buffer[], id: number): void {
    for (const key of keys)
      this.#sqlite.run(`delete from ${table(index)} where key = ? and id = ?`, key, id);
  }
}

const table = (index: Index | undefined) => `x${index?.id}`;

const without = (keys: Buffer[], others: Buffer[]) =>
  keys.filter((key) => !others.some((other) => key.equals(other)));

/** Pages grow while they are small in bytes: few calls for small documents, little memory for large ones. */
class PageSize {
  rows: number;

  constructor(wanted: number) {
    this.rows = Math.min(Math.max(wanted, 1), PAGE_ROWS);
  }

  /** False when the page was the last one. */
  next(page: readonly Found[]): boolean {
    if (page.length < this.rows) return false;
    const bytes = page.reduce((sum, { raw }) => sum + raw.length, 0);
    if (bytes < PAGE_BYTES) this.rows = Math.min(this.rows * 2, PAGE_ROWS);
    return true;
  }
}
