import { type Doc, decode, Raw } from '../bson.ts';
import type { Collection } from '../collection.ts';
import type { Cursors } from '../cursors.ts';
import { fail } from '../errors.ts';
import { isNumeric, toDouble } from '../numbers.ts';
import type { Store } from '../store.ts';
import { isDoc, show } from '../values.ts';

/** The context of a command. */
export interface Context {
  store: Store;
  cursors: Cursors;
  /** The database that the client names. */
  database: string;
}

export interface Command {
  /** The accepted fields besides the command's name and the fields of all commands; others are refused. */
  takes: readonly string[] | 'anything';
  /** Writes happen completely or not at all. */
  writes?: boolean;
  run(command: Doc, context: Context): Doc;
}

/** The full name of the collection in the command's first field. */
export function namespaceOf(command: Doc, { database }: Context): string {
  const name = Object.values(command)[0];
  return namespace(database, name);
}

/** @throws MongoError 73 for an invalid collection name. */
export function namespace(database: string, name: unknown): string {
  if (typeof name !== 'string' || !name || /[$\0]/.test(name))
    fail(73, `Invalid namespace specified '${database}.${show(name)}'`);
  return `${database}.${name}`;
}

export function collectionOf(command: Doc, context: Context): Collection | undefined {
  return context.store.find(namespaceOf(command, context));
}

/** An optional document. */
export function docIn(source: Doc, name: string): Doc {
  const value = source[name] ?? {};
  return isDoc(value) ? value : fail(14, `BSON field '${name}' is the wrong type, expected object`);
}

/** An optional number that is not negative. */
export function countIn(source: Doc, name: string, missing: number): number {
  const value = source[name] ?? null;
  if (value === null) return missing;
  const count = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (!Number.isInteger(count) || count < 0)
    fail(51024, `BSON field '${name}' value must be >= 0, actual value ${show(value)}`);
  return count;
}

/** A list of documents, in the command or sent beside it; elements that arrived encoded stay encoded. */
export function listIn(command: Doc, name: string): (Doc | Raw)[] {
  const list = command[name];
  if (!Array.isArray(list) || list.length === 0)
    fail(9, `BSON field '${name}' is missing or empty`);
  return list.map((item) =>
    item instanceof Raw || isDoc(item) ? item : fail(14, `'${name}' must hold objects`),
  );
}

export const asDoc = (item: Doc | Raw): Doc => (item instanceof Raw ? decode(item.bytes) : item);

/** @throws MongoError 40415 for an unsupported field: no field is silently ignored. */
export function requireKnown(source: Doc, where: string, known: ReadonlySet<string>): void {
  const unknown = Object.keys(source).find((name) => !known.has(name));
  if (unknown) fail(40415, `BSON field '${where}.${unknown}' is an unknown field.`);
}
