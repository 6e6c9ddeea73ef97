import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileExpression, type Expression, truthy } from './expressions.ts';
import { elementTest } from './match.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { readAt, writeAt } from './update-paths.ts';
import { isDoc, show } from './values.ts';

type Project = (doc: Doc) => Doc;

/** Field names as a tree; `true` is a leaf. */
type Tree = Map<string, Tree | true>;

/** A projection of `find`: fields in or out, `$slice` and `$elemMatch`. Null when it changes nothing. */
export function compileProjection(source: unknown): Project | null {
  if (source === undefined || (isDoc(source) && Object.keys(source).length === 0)) return null;
  const { id, fields, others } = sortOut(source);
  const arrays = others.map(([name, operand]) => arrayProjection(name, operand));
  const picked = arrays.some((array) => array.picks);
  const named = fields.map(([name]) => name);
  const include = including(fields, id) ?? picked;
  const tree = toTree(include ? [...named, ...arrays.map(({ name }) => name)] : named);
  return (doc) => {
    const result = cut(doc, tree, { include, id: id ?? true });
    for (const array of arrays) array.apply(result);
    return result;
  };
}

/** The stage `$project`: fields in or out, and fields that are computed. */
export function compileProjectStage(source: unknown): Project {
  const { id, fields, others } = sortOut(source);
  const computed = others.map(([name, operand]): [string[], Expression] => [
    name.split('.'),
    compileExpression(operand),
  ]);
  const include = including(fields, id) ?? computed.length > 0;
  if (computed.length > 0 && !include)
    fail(31252, 'Cannot compute fields in an exclusion projection');
  const tree = toTree(fields.map(([name]) => name));
  return (doc) => {
    const result = cut(doc, tree, { include, id: id ?? true });
    for (const [path, expression] of computed) {
      const value = expression(doc);
      if (value !== undefined) writeAt(result, path, value);
    }
    return result;
  };
}

/** Splits a projection into `_id`, fields that are switched on or off, and all others. */
function sortOut(source: unknown) {
  if (!isDoc(source)) fail(9, 'A projection must be an object');
  const fields: [string, boolean][] = [];
  const others: [string, unknown][] = [];
  let id: boolean | undefined;
  for (const [name, value] of Object.entries(source)) {
    if (name.startsWith('$') || name.includes('.$'))
      fail(2, `The embedded database cannot project ${name}`);
    if (typeof value !== 'boolean' && !isNumeric(value)) others.push([name, value]);
    else if (name === '_id') id = truthy(value);
    else fields.push([name, truthy(value)]);
  }
  return { id, fields, others };
}

/** Whether the fields are those to keep; undefined when nothing says so. */
function including(
  fields: readonly [string, boolean][],
  id: boolean | undefined,
): boolean | undefined {
  const [first] = fields;
  const odd = fields.find(([, on]) => on !== first?.[1]);
  if (odd)
    fail(
      31254,
      `Cannot do ${odd[1] ? 'inclusion' : 'exclusion'} on field ${odd[0]} in a projection of the other kind`,
    );
  return first ? first[1] : id === true ? true : undefined;
}

function toTree(names: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const name of names) {
    let tree = root;
    const parts = name.split('.');
    for (const [i, part] of parts.entries()) {
      const next = tree.get(part);
      if (next === true) break;
      const below: Tree = next ?? new Map();
      tree.set(part, i === parts.length - 1 ? true : below);
      tree = below;
    }
  }
  return root;
}

function cut(doc: Doc, tree: Tree, { include, id }: { include: boolean; id: boolean }): Doc {
  const result = (include ? keep(doc, new Map([...tree, ['_id', true]])) : omit(doc, tree)) as Doc;
  if (!id) delete result._id;
  return result;
}

function keep(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((v) => keep(v, tree)).filter((v) => v !== undefined);
  if (!isDoc(value)) return undefined;
  const kept = Object.entries(value).flatMap(([name, v]) => {
    const next = tree.get(name);
    const part = next === true ? v : next && keep(v, next);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(kept);
}

function omit(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((v) => omit(v, tree));
  if (!isDoc(value)) return value;
  const kept = Object.entries(value).flatMap(([name, v]) => {
    const next = tree.get(name);
    return next === true ? [] : [[name, next ? omit(v, next) : v] as const];
  });
  return Object.fromEntries(kept);
}

interface ArrayProjection {
  name: string;
  /** True when naming the field keeps it and no other: `$elemMatch`. */
  picks: boolean;
  apply: (doc: Doc) => void;
}

function arrayProjection(name: string, operand: unknown): ArrayProjection {
  const [operator] = isDoc(operand) ? Object.keys(operand) : [];
  if (!isDoc(operand) || (operator !== '$slice' && operator !== '$elemMatch'))
    fail(2, `The embedded database cannot project ${name}: ${show(operand)}`);
  const change = operator === '$slice' ? slice(operand.$slice) : firstMatch(operand.$elemMatch);
  const path = name.split('.');
  return {
    name,
    picks: operator === '$elemMatch',
    apply(doc) {
      const array = readAt(doc, path);
      if (Array.isArray(array)) writeAt(doc, path, change(array));
    },
  };
}

function slice(operand: unknown): (array: unknown[]) => unknown[] {
  const numbers = (Array.isArray(operand) ? operand : [operand]).map((value) =>
    isNumeric(value) ? toDouble(value) : fail(2, 'Invalid $slice: it takes numbers'),
  );
  const [first = 0, count] = numbers;
  if (count === undefined)
    return (array) => (first < 0 ? array.slice(first) : array.slice(0, first));
  return (array) => {
    const start = first < 0 ? Math.max(array.length + first, 0) : first;
    return array.slice(start, start + count);
  };
}

function firstMatch(operand: unknown): (array: unknown[]) => unknown[] | undefined {
  const test = elementTest(operand);
  return (array) => {
    const found = array.findIndex(test);
    return found < 0 ? undefined : [array[found]];
  };
}
