import { Double, Int32 } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileExpression, type Expression } from './expressions.ts';
import { encodeKey } from './keys.ts';
import { compileFilter } from './match.ts';
import { fromNumber, isNumeric, type Numeric, add as plus, toDouble } from './numbers.ts';
import { compileProjection } from './projection.ts';
import { compareSortKeys, parseSort, sortKey } from './query.ts';
import { compare, equal, isDoc } from './values.ts';

type Stage = (docs: Iterable<Doc>) => Iterable<Doc>;

/**
 * The stages of a pipeline as one.
 * @throws MongoError for an unsupported stage.
 */
export function compilePipeline(stages: readonly Doc[]): Stage {
  const compiled = stages.map(compileStage);
  return (docs) => compiled.reduce((input, stage) => stage(input), docs);
}

/** The only stage in an element of a pipeline. */
export function stageOf(stage: unknown): { name: string; operand: unknown } {
  const [entry, ...more] = isDoc(stage) ? Object.entries(stage) : [];
  if (!entry || more.length > 0)
    fail(40323, 'A pipeline stage specification object must contain exactly one field.');
  return { name: entry[0], operand: entry[1] };
}

function compileStage(stage: Doc): Stage {
  const { name, operand } = stageOf(stage);
  switch (name) {
    case '$match':
      return where(operand);
    case '$sort':
      return sort(operand);
    case '$skip':
      return slice(wholeNumber(operand, name));
    case '$limit':
      return slice(0, wholeNumber(operand, name));
    case '$project':
      return project(operand);
    case '$group':
      return group(operand);
    case '$count':
      return countAs(operand);
    case '$changeStream':
      return fail(40573, 'The $changeStream stage is only supported on replica sets');
    default:
      return fail(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

/** The operand of `$skip` and `$limit`. */
export function wholeNumber(operand: unknown, name: string): number {
  const value = isNumeric(operand) ? toDouble(operand) : -1;
  if (!Number.isInteger(value) || value < 0)
    fail(5107201, `invalid argument to ${name} stage: Expected a non-negative number`);
  return value;
}

function where(operand: unknown): Stage {
  const test = compileFilter(operand);
  return (docs) => [...docs].filter(test);
}

function project(operand: unknown): Stage {
  const change = compileProjection(operand);
  return (docs) => (change ? Array.from(docs, change) : docs);
}

const slice =
  (from: number, to?: number): Stage =>
  (docs) =>
    [...docs].slice(from, to);

function sort(operand: unknown): Stage {
  const fields = parseSort(operand);
  return (docs) =>
    Array.from(docs, (doc) => ({ doc, key: sortKey(doc, fields) }))
      .toSorted((a, b) => compareSortKeys(a.key, b.key, fields))
      .map(({ doc }) => doc);
}

function countAs(operand: unknown): Stage {
  if (typeof operand !== 'string' || !operand || operand.startsWith('$'))
    fail(40156, 'the count field must be a non-empty string without $');
  return function* (docs) {
    let count = 0;
    for (const _ of docs) count++;
    if (count > 0) yield { [operand]: fromNumber(count) };
  };
}

/** Receives one value for each document of a group. */
interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

const ACCUMULATORS: Record<string, () => Accumulator> = {
  $sum: () => {
    let sum: Numeric = new Int32(0);
    return {
      add: (value) => {
        if (isNumeric(value)) sum = plus(sum, value);
      },
      result: () => sum,
    };
  },
  $avg: () => {
    let sum = 0;
    let count = 0;
    return {
      add: (value) => {
        if (!isNumeric(value)) return;
        sum += toDouble(value);
        count++;
      },
      result: () => (count === 0 ? null : new Double(sum / count)),
    };
  },
  $min: () => extreme((difference) => difference < 0),
  $max: () => extreme((difference) => difference > 0),
  $addToSet: () => {
    const values: unknown[] = [];
    const add = (value: unknown) => {
      if (value !== undefined && !values.some((other) => equal(other, value))) values.push(value);
    };
    return { add, result: () => values };
  },
};

function extreme(better: (difference: number) => boolean): Accumulator {
  let best: unknown = null;
  return {
    add: (value) => {
      if (value === null || value === undefined) return;
      if (best === null || better(compare(value, best))) best = value;
    },
    result: () => best,
  };
}

function group(operand: unknown): Stage {
  if (!isDoc(operand) || !('_id' in operand))
    fail(15955, 'a group specification must include an _id');
  const { _id, ...fields } = operand;
  const id = compileExpression(_id);
  const columns = Object.entries(fields).map(([name, source]) => ({
    name,
    ...accumulator(name, source),
  }));
  return function* (docs) {
    const groups = new Map<string, { id: unknown; cells: Accumulator[] }>();
    for (const doc of docs) {
      const value = id(doc) ?? null;
      const key = encodeKey(value, 1).toString('latin1');
      const found = groups.get(key) ?? { id: value, cells: columns.map(({ create }) => create()) };
      groups.set(key, found);
      for (const [i, cell] of found.cells.entries()) cell.add(columns[i]?.value(doc));
    }
    for (const { id: groupId, cells } of groups.values())
      yield Object.fromEntries([
        ['_id', groupId],
        ...cells.map((cell, i) => [columns[i]?.name, cell.result()]),
      ]) as Doc;
  };
}

function accumulator(
  name: string,
  source: unknown,
): { create: () => Accumulator; value: Expression } {
  const [entry, ...more] = isDoc(source) ? Object.entries(source) : [];
  if (!entry || more.length > 0) fail(40234, `The field '${name}' must be an accumulator object`);
  const [operator, operand] = entry;
  const create = operator.startsWith('$') ? ACCUMULATORS[operator] : undefined;
  if (!create) fail(15952, `unknown group operator '${operator}'`);
  return { create, value: compileExpression(operand) };
}
