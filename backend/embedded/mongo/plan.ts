import { BSONRegExp } from 'bson';
import type { Doc } from './bson.ts';
import type { Collection, Index, Span } from './collection.ts';
import { fail } from './errors.ts';
import type { IndexField, IndexSpec } from './index-spec.ts';
import { after, END, encodeKey, typeBounds } from './keys.ts';
import { compileCondition, isOperators } from './match.ts';
import { isNumeric } from './numbers.ts';
import { compare, equal, isDoc, rankOf } from './values.ts';

export interface SortField {
  /** By the score of a text search instead of a field. */
  byScore?: true;
  name: string;
  path: readonly string[];
  direction: 1 | -1;
}

/** A walk through an index that reaches every document of a filter, and possibly others. */
export interface IndexPlan {
  index: Index;
  spans: Span[];
  reverse: boolean;
  /** The documents come in the requested order. */
  sorted: boolean;
  /** The spans contain exactly the documents of the filter, so that they can be counted without decoding. */
  exact: boolean;
}

// The condition of a filter on one path: one of some values, or a range that includes `low` and `high`. The bounds may be wider than the
// filter, never narrower, because every found document is matched again.
interface Bounds {
  oneOf?: unknown[];
  low?: unknown;
  high?: unknown;
}

interface Demands {
  bounds: Map<string, Bounds>;
  /** Every condition with an operator. */
  stated: { name: string; op: string; value: unknown }[];
  /** The filter has no condition beyond `bounds`, and all of these are equalities. */
  exact: boolean;
}

const MAX_SPANS = 5_000;

/**
 * The best index for a filter and an order; null: read everything.
 * @throws MongoError 2 for a hint without an index, 291 for a hint at an index that may lack documents of the filter
 */
export function plan(
  collection: Collection,
  { filter, sort, hint }: { filter: Doc; sort: readonly SortField[]; hint?: unknown },
): IndexPlan | null {
  const demands = readDemands(filter);
  const ordered = collection.indexes.filter(({ spec }) => !spec.text);
  const usable = ordered
    .filter((index) => hint === undefined || isHinted(index, hint))
    .filter(({ spec }) => !spec.partial || implies(demands, spec.partial.filter));
  if (hint !== undefined && !ordered.some((index) => isHinted(index, hint)))
    fail(2, 'error processing query: planner returned error: bad hint');
  const candidates = usable
    .map((index) => assess(index, demands, { sort, hinted: hint !== undefined }))
    .filter((c) => c !== null);
  const best = candidates.toSorted((a, b) => b.score - a.score)[0];
  if (hint !== undefined && !best)
    fail(291, 'error processing query: planner returned error: the hinted index cannot answer it');
  return best ? build(best, demands) : null;
}

/**
 * The walks that together reach all documents of a query: one, or one for each branch of its `$or`; null: everything is read. Throws as
 * `plan` does.
 */
export function planWalks(
  collection: Collection,
  query: { filter: Doc; sort: readonly SortField[]; hint?: unknown },
): IndexPlan[] | null {
  const found = plan(collection, query);
  return found ? [found] : planBranches(collection, query.filter);
}

function planBranches(collection: Collection, filter: Doc): IndexPlan[] | null {
  const plans = branchesOf(filter)?.map((branch) =>
    plan(collection, { filter: { $and: [filter, branch] }, sort: [] }),
  );
  return plans?.every((one) => one !== null) ? plans : null;
}

/** The branches of the first `$or` that must be true. */
function branchesOf(filter: Doc): unknown[] | undefined {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$or' && Array.isArray(operand)) return operand;
    const parts = name === '$and' && Array.isArray(operand) ? operand.filter(isDoc) : [];
    const found = parts.map(branchesOf).find((branches) => branches !== undefined);
    if (found) return found;
  }
  return undefined;
}

function isHinted({ spec }: Index, hint: unknown): boolean {
  return hint === spec.name || (isDoc(hint) && equal(hint, spec.source.key));
}

interface Candidate {
  index: Index;
  /** The values to look up, for the first fields of the index. */
  values: unknown[][];
  range: Bounds | null;
  /** 1 or -1: the direction of a walk that gives the order; 0: there is none. */
  order: number;
  score: number;
}

function assess(
  index: Index,
  { bounds }: Demands,
  { sort, hinted }: { sort: readonly SortField[]; hinted: boolean },
): Candidate | null {
  const { spec } = index;
  const values: unknown[][] = [];
  let spans = 1;
  for (const { name } of spec.fields) {
    const oneOf = bounds.get(name)?.oneOf;
    if (!oneOf || spans * oneOf.length > MAX_SPANS) break;
    // A sparse index may lack documents without the field.
    if (spec.sparse && oneOf.includes(null)) break;
    spans *= oneOf.length;
    values.push(oneOf);
  }
  const next = bounds.get(spec.fields[values.length]?.name ?? '');
  const range = next && !next.oneOf ? next : null;
  const restricted = values.length > 0 || range !== null;
  if (spec.sparse && !restricted) return null;
  const order = index.multikey || spans > 1 ? 0 : orderOf(spec, values.length, sort);
  if (!restricted && order === 0 && !hinted) return null;
  const unique = spec.unique && values.length === spec.fields.length;
  const score =
    values.length * 10 + (range ? 5 : 0) + (order ? 6 : 0) + (unique ? 50 : 0) - spans / MAX_SPANS;
  return { index, values, range, order, score };
}

/** The direction in which the index, with its first fields fixed, gives the order; 0 when it does not. */
function orderOf(spec: IndexSpec, fixed: number, sort: readonly SortField[]): number {
  if (sort.length === 0) return 0;
  const constant = new Set(spec.fields.slice(0, fixed).map(({ name }) => name));
  const needed = sort.filter(({ name }) => !constant.has(name));
  const ways = needed.map(({ name, direction }, i) => {
    const field = spec.fields[fixed + i];
    return field?.name === name ? field.direction * direction : 0;
  });
  const way = ways[0] ?? 1;
  return ways.every((other) => other === way) ? way : 0;
}

function build({ index, values, range, order }: Candidate, demands: Demands): IndexPlan {
  const { fields } = index.spec;
  let prefixes = [Buffer.alloc(0)];
  for (const [i, list] of values.entries()) {
    const keys = list.map((value) => encodeKey(value, fields[i]?.direction ?? 1));
    prefixes = prefixes.flatMap((prefix) => keys.map((key) => Buffer.concat([prefix, key])));
  }
  const field = fields[values.length];
  const spans = prefixes.map((prefix): Span => {
    if (range && field) return rangeSpan(prefix, field, { range, multikey: index.multikey });
    return [prefix, after(prefix)];
  });
  const exact = demands.exact && !index.multikey && !range && values.length === demands.bounds.size;
  return { index, spans, reverse: order === -1, sorted: order !== 0, exact };
}

function rangeSpan(
  prefix: Buffer,
  { direction }: IndexField,
  { range, multikey }: { range: Bounds; multikey: boolean },
): Span {
  const { low } = range;
  // In an array, one element may satisfy the lower bound and another one the upper.
  const high = multikey && low !== undefined ? undefined : range.high;
  let [from, to] = typeBounds(low ?? high, direction);
  const key = (value: unknown) => encodeKey(value, direction);
  const [first, last] = direction === 1 ? [low, high] : [high, low];
  if (first !== undefined) from = key(first);
  if (last !== undefined) to = after(key(last));
  return [Buffer.concat([prefix, from]), to === END ? END : Buffer.concat([prefix, to])];
}

/** The conditions on single paths among those that must all be true. */
function readDemands(filter: Doc): Demands {
  const demands: Demands = { bounds: new Map(), stated: [], exact: true };
  read(filter, demands);
  return demands;
}

function read(filter: Doc, demands: Demands): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(operand)) {
      for (const part of operand) if (isDoc(part)) read(part, demands);
    } else if (name.startsWith('$')) demands.exact = false;
    else if (!isOperators(operand)) demand(name, { oneOf: [operand] }, demands);
    else
      for (const [op, value] of Object.entries(operand)) {
        demands.stated.push({ name, op, value });
        demand(name, boundsOf(op, value), demands);
      }
  }
}

function boundsOf(op: string, value: unknown): Bounds {
  if (op === '$eq') return { oneOf: [value] };
  if (op === '$in' && Array.isArray(value)) return { oneOf: value };
  if (value === null) return {};
  if (op === '$gt' || op === '$gte') return { low: value };
  return op === '$lt' || op === '$lte' ? { high: value } : {};
}

function demand(name: string, { oneOf, low, high }: Bounds, demands: Demands): void {
  const known = demands.bounds.get(name) ?? {};
  const values = oneOf?.every(isPlain) ? distinct(oneOf) : undefined;
  if (!values?.every(isExact) || demands.bounds.has(name)) demands.exact = false;
  if (known.oneOf) return;
  if (values) demands.bounds.set(name, { oneOf: values });
  else if (low !== undefined && known.low === undefined && suits(low, known.high))
    demands.bounds.set(name, { ...known, low });
  else if (high !== undefined && known.high === undefined && suits(high, known.low))
    demands.bounds.set(name, { ...known, high });
}

/** Whether a bound is compatible with the other one, which limits the range to its own type. */
const suits = (bound: unknown, other: unknown) =>
  isPlain(bound) && (other === undefined || rankOf(bound) === rankOf(other));

/** Values that equal only themselves; an array also equals an array that contains it. */
const isPlain = (value: unknown) =>
  !Array.isArray(value) && !isDoc(value) && !(value instanceof BSONRegExp);

/** Values with a unique index key: null shares its key with missing, a decimal with the nearest double. */
const isExact = (value: unknown) => value !== null && !isNumeric(value);

function distinct(values: unknown[]): unknown[] {
  const sorted = values.toSorted(compare);
  return sorted.filter((value, i) => i === 0 || !equal(value, sorted[i - 1]));
}

/** Whether an index with this partial filter contains every document of the filter. */
function implies({ bounds, stated }: Demands, partial: Doc): boolean {
  const isStated = (name: string, [op, value]: [string, unknown]) =>
    stated.some((one) => one.name === name && one.op === op && equal(one.value, value));
  return Object.entries(partial).every(([name, operand]) => {
    if (isOperators(operand) && Object.entries(operand).every((one) => isStated(name, one)))
      return true;
    const oneOf = bounds.get(name)?.oneOf;
    const condition = compileCondition(operand);
    // null also matches a missing field, which satisfies no condition of a partial filter.
    return oneOf?.every((value) => value !== null && condition([value]));
  });
}
