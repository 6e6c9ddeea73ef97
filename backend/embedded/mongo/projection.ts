import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileExpression, truthy } from './expressions.ts';
import { elementTest, isOperators } from './match.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { isTextScore, textScore } from './text-query.ts';
import { readAt, writeAt } from './update-paths.ts';
import { isDoc } from './values.ts';

/** Field names as a tree; `true` is a leaf. */
type Tree = Map<string, Tree | true>;

/** A field of a projection that is neither included nor excluded. */
interface Special {
  name: string;
  /** Its effect on the documents: keeps only the field, keeps it besides the others, or adds it. */
  kind: '$elemMatch' | '$slice' | '$meta' | 'computed';
  /** Its value in the result; undefined: none. */
  value: (doc: Doc) => unknown;
}

/**
 * A projection of `find` or of the stage `$project`: fields in or out, `$slice`, `$elemMatch`, and computed fields. Null when it changes
 * nothing.
 */
export function compileProjection(source: unknown): ((doc: Doc) => Doc) | null {
  if (source === undefined || (isDoc(source) && Object.keys(source).length === 0)) return null;
  const { id = true, fields, specials, idOnly } = sortOut(source);
  const adds = specials.some(({ kind }) => kind !== '$slice' && kind !== '$meta');
  const include = including(fields) ?? (idOnly || adds);
  if (!include && specials.some(({ kind }) => kind === 'computed'))
    fail(31252, 'Cannot compute fields in an exclusion projection');
  const tree = toTree(fields.map(([name]) => name));
  return (doc) => {
    const kept = include ? keep(doc, new Map([...tree, ['_id', true]])) : omit(doc, tree);
    const result = kept as Doc;
    if (!id) delete result._id;
    for (const { name, value } of specials) {
      const found = value(doc);
      if (found !== undefined) writeAt(result, name.split('.'), found);
    }
    return result;
  };
}

/** Splits a projection into `_id`, fields that are switched on or off, and others. */
function sortOut(source: unknown) {
  if (!isDoc(source)) fail(9, 'A projection must be an object');
  const fields: [string, boolean][] = [];
  const specials: Special[] = [];
  let id: boolean | undefined;
  for (const [name, value] of flat(source)) {
    if (name.startsWith('$') || name.includes('.$'))
      fail(2, `The embedded database cannot project ${name}`);
    if (typeof value !== 'boolean' && !isNumeric(value)) specials.push(special(name, value));
    else if (name === '_id') id = truthy(value);
    else fields.push([name, truthy(value)]);
  }
  return { id, fields, specials, idOnly: id === true && fields.length === 0 };
}

/** `{ a: { b: 1 } }` is the same as `{ 'a.b': 1 }`. */
function flat(source: Doc, prefix = ''): [string, unknown][] {
  return Object.entries(source).flatMap(([key, value]): [string, unknown][] => {
    const name = prefix + key;
    if (!isDoc(value) || isOperators(value)) return [[name, value]];
    if (Object.keys(value).length === 0)
      fail(
        51270,
        `An empty sub-projection is not a valid value. Found empty object at path ${name}`,
      );
    return flat(value, `${name}.`);
  });
}

/** Whether the listed fields are kept; undefined without fields. */
function including(fields: readonly [string, boolean][]): boolean | undefined {
  const first = fields[0]?.[1];
  const odd = fields.find(([, on]) => on !== first);
  if (odd) fail(31254, `Cannot mix fields in and out in one projection: ${odd[0]}`);
  return first;
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

function special(name: string, operand: unknown): Special {
  if (isTextScore(operand)) return { name, kind: '$meta', value: textScore };
  const kind = isDoc(operand) ? Object.keys(operand)[0] : undefined;
  if (!isDoc(operand) || (kind !== '$slice' && kind !== '$elemMatch'))
    return { name, kind: 'computed', value: compileExpression(operand) };
  const change = kind === '$slice' ? slice(operand.$slice) : firstMatch(operand.$elemMatch);
  const path = name.split('.');
  const value = (doc: Doc) => {
    const array = readAt(doc, path);
    return Array.isArray(array) ? change(array) : undefined;
  };
  return { name, kind, value };
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
