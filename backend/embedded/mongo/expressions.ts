import { Double, Long } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { add, fromNumber, isNumeric, type Numeric, toDouble } from './numbers.ts';
import { type Path } from './paths.ts';
import { compare, field, isDoc, show } from './values.ts';

export type Expression = (doc: Doc) => unknown;

/** True values in a condition: all except false, zero, null and missing. */
export const truthy = (value: unknown): boolean =>
  isNumeric(value)
    ? toDouble(value) !== 0
    : value !== false && value !== null && value !== undefined;

/** @throws MongoError for an unsupported expression. */
export function compileExpression(source: unknown): Expression {
  if (typeof source === 'string' && source.startsWith('$')) return reference(source);
  if (Array.isArray(source)) {
    const items = source.map(compileExpression);
    return (doc) => items.map((item) => item(doc) ?? null);
  }
  if (!isDoc(source)) return () => source;
  const name = Object.keys(source)[0] ?? '';
  if (name.startsWith('$')) return operator(name, source);
  const members = Object.entries(source).map(
    ([key, value]) => [key, compileExpression(value)] as const,
  );
  return (doc) => Object.fromEntries(members.map(([key, member]) => [key, member(doc)]));
}

function reference(source: string): Expression {
  if (source === '$$ROOT') return (doc) => doc;
  if (source.startsWith('$$')) fail(17276, `Use of undefined variable: ${source.slice(2)}`);
  const path = source.slice(1).split('.');
  return (doc) => follow(doc, path, 0);
}

/** A path through an array collects the values of its elements. */
function follow(value: unknown, path: Path, at: number): unknown {
  const part = path[at];
  if (part === undefined) return value;
  if (isDoc(value)) return follow(field(value, part), path, at + 1);
  if (!Array.isArray(value)) return undefined;
  return value.map((element) => follow(element, path, at)).filter((found) => found !== undefined);
}

const bySign =
  (holds: (difference: number) => boolean) =>
  ([a, b]: unknown[]) =>
    holds(order(a, b));

/** In expressions, unlike in filters, a missing value comes before null. */
const order = (a: unknown, b: unknown) =>
  compare(a, b) || Number(a !== undefined) - Number(b !== undefined);

type Operator = { arity?: number; apply: (values: unknown[]) => unknown };

const OPERATORS: Record<string, Operator> = {
  $eq: { arity: 2, apply: bySign((d) => d === 0) },
  $ne: { arity: 2, apply: bySign((d) => d !== 0) },
  $gt: { arity: 2, apply: bySign((d) => d > 0) },
  $gte: { arity: 2, apply: bySign((d) => d >= 0) },
  $lt: { arity: 2, apply: bySign((d) => d < 0) },
  $lte: { arity: 2, apply: bySign((d) => d <= 0) },
  $add: { apply: numeric('$add', (values) => values.reduce(add)) },
  $mod: { arity: 2, apply: numeric('$mod', remainder) },
};

function operator(name: string, source: Doc): Expression {
  if (Object.keys(source).length !== 1)
    fail(15983, `${name} must be the only field of an expression`);
  const operand = source[name];
  const known = OPERATORS[name] ?? fail(168, `Unrecognized expression '${name}'`);
  const items = (Array.isArray(operand) ? operand : [operand]).map(compileExpression);
  if (items.length === 0 || (known.arity && items.length !== known.arity))
    fail(
      16020,
      `Expression ${name} takes exactly ${known.arity ?? 1} arguments. ${items.length} were passed in.`,
    );
  return (doc) => known.apply(items.map((item) => item(doc)));
}

/** Null or missing in, null out; any other non-numeric value is an error. */
function numeric(name: string, apply: (values: Numeric[]) => Numeric) {
  return (values: unknown[]) => {
    if (values.some((value) => value === null || value === undefined)) return null;
    const wrong = values.find((value) => !isNumeric(value));
    if (wrong !== undefined) fail(14, `${name} only supports numeric types, not ${show(wrong)}`);
    return apply(values as Numeric[]);
  };
}

function remainder([a, b]: Numeric[]): Numeric {
  const [dividend, divisor] = [toDouble(a as Numeric), toDouble(b as Numeric)];
  if (divisor === 0) fail(16610, "can't $mod by zero");
  const result = dividend % divisor;
  if (a instanceof Double || b instanceof Double) return new Double(result);
  return a instanceof Long || b instanceof Long ? Long.fromNumber(result) : fromNumber(result);
}
