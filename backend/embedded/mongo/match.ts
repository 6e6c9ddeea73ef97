import { BSONRegExp } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileExpression, truthy } from './expressions.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { valuesAt } from './paths.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { compare, equal, isDoc, rankOf, show, TYPE_NAMES, typeOf } from './values.ts';

export type Test = (doc: Doc) => boolean;

/**
 * A condition on all values of a path; `undefined` is a missing field. With `whole` an array is only compared as a whole, never by its
 * elements.
 */
type Condition = (values: readonly unknown[], whole?: boolean) => boolean;

/** @throws MongoError for an unsupported operator. */
export function compileFilter(filter: unknown): Test {
  if (!isDoc(filter)) fail(14, `a filter must be an object, not ${show(filter)}`);
  const tests = Object.entries(filter).map(([name, operand]) => clause(name, operand));
  return (doc) => tests.every((test) => test(doc));
}

function clause(name: string, operand: unknown): Test {
  if (!name.startsWith('$')) {
    const path = name.split('.');
    const condition = compileCondition(operand);
    return (doc) => condition(valuesAt(doc, path));
  }
  if (name === '$comment') return () => true;
  if (name === '$expr') {
    const expression = compileExpression(operand);
    return (doc) => truthy(expression(doc));
  }
  if (name !== '$and' && name !== '$or' && name !== '$nor')
    fail(2, `unknown top level operator: ${name}`);
  if (!Array.isArray(operand) || operand.length === 0) fail(2, `${name} must be a nonempty array`);
  const tests = operand.map(compileFilter);
  if (name === '$and') return (doc) => tests.every((test) => test(doc));
  const any: Test = (doc) => tests.some((test) => test(doc));
  return name === '$or' ? any : (doc) => !any(doc);
}

/** True for `{ $gt: 1 }` and similar, false for a document that is meant as a value. */
export const isOperators = (value: unknown): value is Doc =>
  isDoc(value) && (Object.keys(value)[0] ?? '').startsWith('$');

/** The operand of a field in a filter: a value, a regular expression or operators. */
export function compileCondition(operand: unknown): Condition {
  if (operand instanceof BSONRegExp) return matchesRegex(operand);
  if (!isOperators(operand)) return isEqual(operand);
  const conditions = Object.entries(operand).map(([name, value]) => operator(name, value, operand));
  return (values, whole) => conditions.every((condition) => condition(values, whole));
}

const not =
  (condition: Condition): Condition =>
  (values, whole) =>
    !condition(values, whole);

function operator(name: string, operand: unknown, siblings: Doc): Condition {
  switch (name) {
    case '$eq':
      return isEqual(operand);
    case '$ne':
      return not(isEqual(operand));
    case '$gt':
      return inOrder(operand, (difference) => difference > 0);
    case '$gte':
      return inOrder(operand, (difference) => difference >= 0);
    case '$lt':
      return inOrder(operand, (difference) => difference < 0);
    case '$lte':
      return inOrder(operand, (difference) => difference <= 0);
    case '$in':
      return isIn(operand, name);
    case '$nin':
      return not(isIn(operand, name));
    case '$exists':
      return exists(truthy(operand));
    case '$type':
      return hasType(operand);
    case '$regex':
      return matchesRegex(operand, siblings.$options);
    case '$options':
      return '$regex' in siblings ? () => true : fail(2, '$options needs a $regex');
    case '$not':
      return negation(operand);
    case '$elemMatch':
      return elemMatch(operand);
    case '$all':
      return all(operand);
    case '$size':
      return hasSize(operand);
    case '$mod':
      return modulo(operand);
    default:
      return fail(2, `unknown operator: ${name}`);
  }
}

/** Whether the predicate is true for a value, or for an element of an array value. */
const any =
  (predicate: (value: unknown) => boolean): Condition =>
  (values, whole) =>
    values.some(
      (value) => predicate(value) || (!whole && Array.isArray(value) && value.some(predicate)),
    );

// A missing field equals null: both have the same rank.
const isEqual = (operand: unknown) => any((value) => equal(value, operand));

/** Only values of the operand's own type are compared with it; NaN equals only itself. */
function inOrder(operand: unknown, holds: (difference: number) => boolean): Condition {
  const rank = rankOf(operand);
  return any((value) => {
    if (rankOf(value) !== rank) return false;
    const difference = compare(value, operand);
    return holds(difference) && (difference === 0 || !(isNaNumber(value) || isNaNumber(operand)));
  });
}

const isNaNumber = (value: unknown) => isNumeric(value) && Number.isNaN(toDouble(value));

function list(operand: unknown, name: string): unknown[] {
  return Array.isArray(operand) ? operand : fail(2, `${name} needs an array`);
}

function isIn(operand: unknown, name: string): Condition {
  const values = list(operand, name);
  if (values.some(isOperators)) fail(2, `cannot nest $ under ${name}`);
  const patterns = values
    .filter((value) => value instanceof BSONRegExp)
    .map((r) => matchesRegex(r));
  const sorted = values.filter((value) => !(value instanceof BSONRegExp)).toSorted(compare);
  const listed = any((value) => includes(sorted, value));
  return (found, whole) =>
    listed(found, whole) || patterns.some((pattern) => pattern(found, whole));
}

/** Binary search, because populate sends long lists. */
function includes(sorted: readonly unknown[], value: unknown): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(sorted[middle], value) < 0) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && equal(sorted[low], value);
}

const exists =
  (wanted: boolean): Condition =>
  (values) =>
    values.some((value) => value !== undefined) === wanted;

function hasType(operand: unknown): Condition {
  const names: unknown[] = Array.isArray(operand) ? operand : [operand];
  const unknown = names.find((name) => name !== 'number' && !TYPE_NAMES.has(name));
  if (unknown !== undefined) fail(2, `Unknown type name alias: ${show(unknown)}`);
  return any(
    (value) => names.includes(typeOf(value)) || (names.includes('number') && isNumeric(value)),
  );
}

function matchesRegex(operand: unknown, options?: unknown): Condition {
  const regex = toRegExp(operand, options);
  return any((value) =>
    typeof value === 'string'
      ? regex.test(value)
      : value instanceof BSONRegExp && operand instanceof BSONRegExp && equal(value, operand),
  );
}

function toRegExp(operand: unknown, options: unknown): Pattern {
  const [pattern, own] =
    operand instanceof BSONRegExp ? [operand.pattern, operand.options] : [operand, ''];
  if (typeof pattern !== 'string') fail(2, '$regex has to be a string');
  const flags = options ?? own;
  if (typeof flags !== 'string' || /[^imsu]/.test(flags))
    fail(51108, `invalid flag in regex options: ${show(flags)}`);
  return compilePattern(pattern, flags);
}

function negation(operand: unknown): Condition {
  if (operand instanceof BSONRegExp || isOperators(operand)) return not(compileCondition(operand));
  return fail(2, '$not needs a regex or a document');
}

function elemMatch(operand: unknown): Condition {
  const test = elementTest(operand);
  return (values) => values.some((value) => Array.isArray(value) && value.some(test));
}

/** The operand of `$elemMatch`: conditions on the element itself, or a filter for document elements. */
export function elementTest(operand: unknown): (element: unknown) => boolean {
  if (!isDoc(operand)) fail(2, '$elemMatch needs an Object');
  const logical = ['$and', '$or', '$nor', '$expr'].includes(Object.keys(operand)[0] ?? '');
  if (isOperators(operand) && !logical) {
    const condition = compileCondition(operand);
    return (element) => condition([element], true);
  }
  const test = compileFilter(operand);
  return (element) => isDoc(element) && test(element);
}

function all(operand: unknown): Condition {
  const conditions = list(operand, '$all').map(compileCondition);
  return (values, whole) =>
    conditions.length > 0 && conditions.every((condition) => condition(values, whole));
}

function hasSize(operand: unknown): Condition {
  if (!isNumeric(operand)) fail(2, `$size must be a whole number, not ${show(operand)}`);
  const size = toDouble(operand);
  return (values) => values.some((value) => Array.isArray(value) && value.length === size);
}

function modulo(operand: unknown): Condition {
  const [divisor, remainder] = list(operand, '$mod').map((value) =>
    isNumeric(value) ? Math.trunc(toDouble(value)) : fail(2, 'malformed mod, not a number'),
  );
  if (!divisor || remainder === undefined) fail(2, 'malformed mod, divisor cannot be 0');
  return any((value) => isNumeric(value) && Math.trunc(toDouble(value)) % divisor === remainder);
}
