import { BSONRegExp, Double } from 'bson';
import { fail } from './errors.ts';
import { compileCondition, compileFilter, isOperators } from './match.ts';
import { add, isNumeric, type Numeric, toDouble } from './numbers.ts';
import { compareSortKeys, parseSort, sortKey } from './query.ts';
import { compare, equal, isDoc, show, typeOf } from './values.ts';

interface OperatorContext {
  /** The path as the update names it. */
  path: string;
  now: Date;
  /** True for the document that an upsert inserts. */
  inserting: boolean;
}

/** Returns the new value of a field; undefined: the field is removed. */
type Operator = (current: unknown, operand: unknown, context: OperatorContext) => unknown;

/** All operators except `$rename`, which changes two fields. `checkModification` has accepted the operands. */
export const OPERATORS: Record<string, Operator> = {
  $set: (_current, operand) => operand,
  $setOnInsert: (current, operand, { inserting }) => (inserting ? operand : current),
  $unset: () => undefined,
  $inc: (current, operand, { path }) =>
    current === undefined ? operand : increase(requireNumber(current, path), operand as Numeric),
  $min: (current, operand) =>
    current === undefined || compare(operand, current) < 0 ? operand : current,
  $max: (current, operand) =>
    current === undefined || compare(operand, current) > 0 ? operand : current,
  $currentDate: (_current, _operand, { now }) => now,
  $push: push,
  $addToSet: addToSet,
  $pull: (current, operand, { path }) => {
    const matches = pullTest(operand);
    return requireList(current, path)?.filter((element) => !matches(element));
  },
  $pullAll: (current, operand, { path }) => {
    const values = operand as unknown[];
    return requireList(current, path)?.filter((element) => !values.some((v) => equal(v, element)));
  },
  $pop: (current, operand, { path }) => {
    const first = isNumeric(operand) && toDouble(operand) < 0;
    const elements = requireList(current, path);
    return first ? elements?.slice(1) : elements?.slice(0, -1);
  },
};

/** Unlike a sum of an aggregation, a counter of whole numbers stays a whole number. */
function increase(current: Numeric, by: Numeric): Numeric {
  const sum = add(current, by);
  if (sum instanceof Double && !(current instanceof Double || by instanceof Double))
    fail(2, `Failed to apply $inc operations to current value (${show(current)})`);
  return sum;
}

function requireNumber(value: unknown, path: string): Numeric {
  if (!isNumeric(value))
    fail(14, `Cannot increment with or of non-numeric type: ${path}, ${typeOf(value)}`);
  return value;
}

function requireList(value: unknown, path: string): unknown[] | undefined {
  if (value !== undefined && !Array.isArray(value))
    fail(2, `The field '${path}' must be an array but is of type ${typeOf(value)}`);
  return value;
}

/** A document of modifiers (`$each` and its options), or a single element. */
function modifiers(operand: unknown) {
  if (!isDoc(operand) || !('$each' in operand)) return { each: [operand] };
  const { $each, $position, $sort, $slice } = operand;
  return { each: $each as unknown[], position: $position, sort: $sort, slice: $slice };
}

function push(current: unknown, operand: unknown, { path }: OperatorContext): unknown[] {
  const { each, position, sort, slice } = modifiers(operand);
  const elements = [...(requireList(current, path) ?? [])];
  elements.splice(isNumeric(position) ? toDouble(position) : elements.length, 0, ...each);
  if (isNumeric(sort)) elements.sort((a, b) => toDouble(sort) * compare(a, b));
  else if (sort !== undefined) sortBy(elements, sort);
  if (!isNumeric(slice)) return elements;
  const size = toDouble(slice);
  return size < 0 ? elements.slice(size) : elements.slice(0, size);
}

function sortBy(elements: unknown[], source: unknown): void {
  const sort = parseSort(source);
  elements.sort((a, b) => compareSortKeys(sortKey(a, sort), sortKey(b, sort), sort));
}

function addToSet(current: unknown, operand: unknown, { path }: OperatorContext): unknown[] {
  const elements = [...(requireList(current, path) ?? [])];
  for (const value of modifiers(operand).each) {
    if (!elements.some((element) => equal(element, value))) elements.push(value);
  }
  return elements;
}

/** Operators and patterns test the element, a document is a filter, any other operand is a value. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  if (isOperators(operand) || operand instanceof BSONRegExp) {
    const condition = compileCondition(operand);
    return (element) => condition([element]);
  }
  if (!isDoc(operand)) return (element) => equal(element, operand);
  const test = compileFilter(operand);
  return (element) => isDoc(element) && test(element);
}
