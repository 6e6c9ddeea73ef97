import { rmSync } from 'node:fs';
import sqlite, { type Statement } from 'node-sqlite3-wasm';

type Bound = number | string | Uint8Array | null;

/**
 * One SQLite file of this process. Statements are prepared once. The first write opens a transaction; nothing is durable before `commit`,
 * so no client may be answered before it.
 */
export class Sqlite {
  readonly #database: InstanceType<typeof sqlite.Database>;
  readonly #statements = new Map<string, Statement>();
  /** Whether a transaction has begun that was neither committed nor rolled back here. SQLite itself may have rolled it back. */
  #isOpen = false;

  /** `file` must already be locked for this process. */
  constructor(file: string) {
    // The lock of a killed process, which would make the database appear to be in use.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    this.#database = new sqlite.Database(file);
    // Of a new file only. A document of 10 MB (a character card) is written in a tenth of the time that pages of 4 KB take.
    this.#database.exec('pragma page_size=16384');
    // WAL needs shared memory, which the WebAssembly build lacks, unless the file is locked exclusively.
    this.#database.exec('pragma locking_mode=exclusive');
    this.#database.exec('pragma journal_mode=wal');
    // Committed data survives any end of the process; a power failure may lose the last commits.
    this.#database.exec('pragma synchronous=normal');
    this.#database.exec('pragma cache_size=-65536');
  }

  /** Changes tables; earlier prepared statements may be invalid. */
  define(sql: string): void {
    this.#begin();
    this.#forget();
    this.#database.exec(sql);
  }

  run(sql: string, ...values: Bound[]): void {
    this.#begin();
    this.#execute(sql, (statement) => statement.run(values));
  }

  /** Rows as SQLite returns them; the caller states their type. */
  all<Row>(sql: string, ...values: Bound[]): Row[] {
    return this.#execute(sql, (statement) => statement.all(values)) as Row[];
  }

  /** Runs `write` as one transaction: completely or not at all. */
  atomically<T>(write: () => T): T {
    this.#begin();
    this.#database.exec('savepoint command');
    try {
      const result = write();
      this.#database.exec('release command');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) {
        this.#database.exec('rollback to command');
        this.#database.exec('release command');
      }
      throw error;
    }
  }

  /** @throws Error when writes since the last commit are lost; `rollback` must follow. */
  commit(): void {
    if (!this.#isOpen) return;
    this.#requireTransaction();
    this.#database.exec('commit');
    this.#isOpen = false;
  }

  rollback(): void {
    if (this.#database.inTransaction) this.#database.exec('rollback');
    this.#isOpen = false;
  }

  close(): void {
    this.rollback();
    this.#forget();
    this.#database.close();
  }

  #begin(): void {
    if (this.#isOpen) return this.#requireTransaction();
    this.#database.exec('begin immediate');
    this.#isOpen = true;
  }

  /** On a full or failing disk SQLite may roll back the whole transaction, with the writes of earlier commands. */
  #requireTransaction(): void {
    if (!this.#database.inTransaction) throw new Error('SQLite has rolled back the transaction.');
  }

  #execute<T>(sql: string, work: (statement: Statement) => T): T {
    const statement = this.#prepare(sql);
    try {
      return work(statement);
    } catch (error) {
      this.#statements.delete(sql);
      try {
        statement.finalize();
      } catch {
        // A failed statement reports its error again, at its next use or here.
      }
      throw error;
    }
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #forget(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }
}
