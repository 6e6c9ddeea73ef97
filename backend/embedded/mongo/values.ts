import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compareNumbers, type Numeric } from './numbers.ts';

type TypeName = keyof typeof RANKS;

// MongoDB's comparison order between types; a missing field counts as null.
const RANKS = {
  missing: 5,
  null: 5,
  int: 10,
  long: 10,
  double: 10,
  decimal: 10,
  string: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  regex: 50,
} as const;

/** The names that `$type` accepts. */
export const TYPE_NAMES: ReadonlySet<unknown> = new Set(Object.keys(RANKS));

// By prototype: a stored document can claim any `_bsontype`, but not a prototype.
const PROTOTYPES = new Map<unknown, TypeName>([
  [Object.prototype, 'object'],
  [Array.prototype, 'array'],
  [Date.prototype, 'date'],
  [Int32.prototype, 'int'],
  [Double.prototype, 'double'],
  [Long.prototype, 'long'],
  [Decimal128.prototype, 'decimal'],
  [ObjectId.prototype, 'objectId'],
  [Binary.prototype, 'binData'],
  [UUID.prototype, 'binData'],
  [BSONRegExp.prototype, 'regex'],
]);

/** @throws MongoError for types that this server only stores (timestamp, code, symbol, DBRef, MinKey, MaxKey). */
export function typeOf(value: unknown): TypeName {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  const name = PROTOTYPES.get(Object.getPrototypeOf(value));
  return (
    name ??
    fail(238, 'the embedded database keeps values of this BSON type, but does not compare them')
  );
}

export const isDoc = (value: unknown): value is Doc =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The place of a value's type in the order of types. */
export const rankOf = (value: unknown): number => RANKS[typeOf(value)];

/** Reads an own field, never one of the prototype. */
export const field = (doc: Doc, name: string): unknown =>
  Object.hasOwn(doc, name) ? doc[name] : undefined;

const sign = (difference: number) => Math.sign(difference);
const compareText = (a: string, b: string) =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** MongoDB's total order of values. */
export function compare(a: unknown, b: unknown): number {
  const rank = rankOf(a);
  const other = rankOf(b);
  if (rank !== other) return rank < other ? -1 : 1;
  switch (rank) {
    case RANKS.int:
      return compareNumbers(a as Numeric, b as Numeric);
    case RANKS.string:
      return compareText(a as string, b as string);
    case RANKS.object:
      return compareDocs(a as Doc, b as Doc);
    case RANKS.array:
      return compareLists(a as unknown[], b as unknown[]);
    case RANKS.binData:
      return compareBinary(a as Binary, b as Binary);
    case RANKS.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case RANKS.bool:
      return sign(Number(a) - Number(b));
    case RANKS.date:
      return sign((a as Date).getTime() - (b as Date).getTime());
    case RANKS.regex:
      return compareText(regexText(a as BSONRegExp), regexText(b as BSONRegExp));
    default:
      return 0;
  }
}

export const equal = (a: unknown, b: unknown): boolean => compare(a, b) === 0;

export const regexText = (regex: BSONRegExp) => `${regex.pattern}\0${regex.options}`;

function compareDocs(a: Doc, b: Doc): number {
  const [x, y] = [Object.entries(a), Object.entries(b)];
  for (const [i, [name, value]] of x.entries()) {
    const entry = y[i];
    if (!entry) return 1;
    const difference =
      sign(rankOf(value) - rankOf(entry[1])) ||
      compareText(name, entry[0]) ||
      compare(value, entry[1]);
    if (difference) return difference;
  }
  return x.length - y.length;
}

function compareLists(a: unknown[], b: unknown[]): number {
  for (const [i, value] of a.entries()) {
    if (i >= b.length) return 1;
    const difference = compare(value, b[i]);
    if (difference) return difference;
  }
  return sign(a.length - b.length);
}

const compareBinary = (a: Binary, b: Binary) =>
  sign(a.length() - b.length()) ||
  sign(a.sub_type - b.sub_type) ||
  Buffer.compare(a.value(), b.value());

/** A copy with new containers; leaves are immutable and therefore shared. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isDoc(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, clone(v)])) as T;
}

/** A value for an error message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[ ${value.map(show).join(', ')} ]`;
  if (!isDoc(value)) return `${(value as string | undefined) ?? null}`;
  return `{ ${Object.entries(value)
    .map(([name, v]) => `${name}: ${show(v)}`)
    .join(', ')} }`;
}
