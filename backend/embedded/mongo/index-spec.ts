import { isDeepStrictEqual } from 'node:util';
import { Int32 } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { truthy } from './expressions.ts';
import { encodeKey } from './keys.ts';
import { compileFilter, isOperators, type Test } from './match.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { keyValues, type Path } from './paths.ts';
import { parseTextIndex, type TextSpec } from './text-index.ts';
import { equal, isDoc, show } from './values.ts';

export interface IndexField {
  name: string;
  path: Path;
  direction: 1 | -1;
}

/** A parsed index specification. */
export interface IndexSpec {
  /** In the form of `listIndexes`. */
  source: Doc;
  name: string;
  fields: IndexField[];
  unique: boolean;
  sparse: boolean;
  partial: { filter: Doc; covers: Test } | null;
  expireAfterSeconds: number | null;
  /** Set for a text index, which has its own storage and search. */
  text: TextSpec | null;
}

export const ID_INDEX: Doc = { key: { _id: new Int32(1) }, name: '_id_' };

const OPTIONS = new Set([
  'v',
  'key',
  'name',
  'ns',
  'background',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
]);

/** @throws MongoError 67 or 72 for an unsupported kind of index. */
export function parseIndex(source: Doc): IndexSpec {
  const unknown = Object.keys(source).find((option) => !OPTIONS.has(option));
  if (unknown) fail(72, `The embedded database knows no index option '${unknown}'`);
  const { key, name, partialFilterExpression: filter, expireAfterSeconds } = source;
  if (!isDoc(key) || Object.keys(key).length === 0)
    fail(67, 'Index keys cannot be an empty object');
  if (typeof name !== 'string' || !name) fail(67, 'An index needs a name');
  const { ns: _ns, background: _background, ...kept } = source;
  const isText = Object.values(key).includes('text');
  return {
    source: { v: new Int32(2), ...kept },
    name,
    fields: Object.entries(key).map(parseField),
    unique: flag(source, 'unique') || name === '_id_',
    sparse: flag(source, 'sparse'),
    partial: filter === undefined ? null : parsePartial(filter),
    text: isText ? parseTextIndex(source, key) : null,
    expireAfterSeconds: isNumeric(expireAfterSeconds) ? toDouble(expireAfterSeconds) : null,
  };
}

/** A boolean option, which may be a number too. */
function flag(source: Doc, option: string): boolean {
  const value = source[option];
  if (value !== undefined && typeof value !== 'boolean' && !isNumeric(value))
    fail(14, `The field '${option}' has value ${show(value)}, which is not convertible to bool`);
  return truthy(value);
}

const MAX_EXPIRY_SECONDS = 2 ** 31 - 1;

/**
 * Checks for new indexes only; stored ones are used unchanged.
 * @throws MongoError 67 for a TTL index that MongoDB would refuse
 */
export function requireValidTtl({ source, fields }: IndexSpec): void {
  const { expireAfterSeconds: seconds } = source;
  if (seconds === undefined) return;
  if (!isNumeric(seconds))
    fail(
      67,
      `TTL index 'expireAfterSeconds' option must be numeric, but received ${show(seconds)}`,
    );
  const value = toDouble(seconds);
  if (!(value >= 0 && value <= MAX_EXPIRY_SECONDS))
    fail(
      67,
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different number than ${value}`,
    );
  if (fields.length > 1)
    fail(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL.');
  if (fields[0]?.name === '_id') fail(67, 'The field _id cannot be used for a TTL index');
}

function parseField([name, direction]: [string, unknown]): IndexField {
  if (direction === 'text') return { name, path: name.split('.'), direction: 1 };
  const value = isNumeric(direction) ? toDouble(direction) : 0;
  if (value !== 1 && value !== -1)
    fail(67, `The embedded database has no index of the kind ${name}: ${show(direction)}`);
  return { name, path: name.split('.'), direction: value };
}

// MongoDB's own list: with these operators, a query can be compared with the filter.
const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in']);

function parsePartial(filter: unknown): NonNullable<IndexSpec['partial']> {
  if (!isDoc(filter)) fail(67, 'partialFilterExpression must be an object');
  for (const [name, condition] of Object.entries(filter)) {
    const operators = isOperators(condition) ? Object.keys(condition) : [];
    const unknown = [name, ...operators].find(
      (op) => op.startsWith('$') && !PARTIAL_OPERATORS.has(op),
    );
    if (unknown) fail(67, `unsupported expression in partial index: ${unknown}`);
    if (isOperators(condition) && condition.$exists === false)
      fail(67, 'unsupported expression in partial index: $exists: false');
  }
  return { filter, covers: compileFilter(filter) };
}

/** The keys of a document in an index: none when the index leaves it out, several when a field holds an array (`many`). */
export function indexKeys(spec: IndexSpec, doc: Doc): { keys: Buffer[]; many: boolean } {
  if (spec.partial && !spec.partial.covers(doc)) return { keys: [], many: false };
  const columns = spec.fields.map((field) => keyValues(doc, field.path));
  if (spec.sparse && columns.every(({ values }) => values.every((value) => value === undefined)))
    return { keys: [], many: false };
  const arrays = columns.filter(({ many }) => many).length;
  if (arrays > 1) fail(171, 'cannot index parallel arrays');
  let keys = [Buffer.alloc(0)];
  for (const [i, { values }] of columns.entries()) {
    const direction = spec.fields[i]?.direction ?? 1;
    const encoded = values.map((value) => encodeKey(value, direction));
    keys = keys.flatMap((key) => encoded.map((next) => Buffer.concat([key, next])));
  }
  return { keys: distinct(keys), many: arrays > 0 };
}

function distinct(keys: Buffer[]): Buffer[] {
  if (keys.length < 2) return keys;
  return [...new Map(keys.map((key) => [key.toString('latin1'), key])).values()];
}

/** Whether two indexes are the same apart from their names. */
export function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  return (
    sameKey(a, b) &&
    a.unique === b.unique &&
    a.sparse === b.sparse &&
    a.expireAfterSeconds === b.expireAfterSeconds &&
    equal(a.partial?.filter ?? null, b.partial?.filter ?? null) &&
    isDeepStrictEqual(a.text, b.text)
  );
}

export const sameKey = (a: IndexSpec, b: IndexSpec): boolean =>
  a.fields.length === b.fields.length &&
  Boolean(a.text) === Boolean(b.text) &&
  a.fields.every((field, i) => {
    const other = b.fields[i];
    return field.name === other?.name && field.direction === other.direction;
  });
