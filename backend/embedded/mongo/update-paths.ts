import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { compileCondition, compileFilter, isOperators, type Test } from './match.ts';
import { isIndex, type Path } from './paths.ts';
import { field, isDoc, show } from './values.ts';

/** The context of the array parts of an update path. */
export interface PathContext {
  /** For `$`: the filter that found the document. */
  filter: Doc;
  /** For `$[name]`. */
  arrayFilters: ReadonlyMap<string, Test>;
}

/** @throws MongoError 9 when a filter names no identifier, or one twice. */
export function parseArrayFilters(source: unknown): Map<string, Test> {
  const filters = new Map<string, Test>();
  for (const filter of Array.isArray(source) ? source : []) {
    const names = isDoc(filter) ? Object.keys(filter).map((path) => path.split('.')[0] ?? '') : [];
    const [name] = names;
    if (!name || name.startsWith('$') || names.some((other) => other !== name))
      fail(9, 'Expected an array filter about a single top-level field name');
    if (filters.has(name))
      fail(9, `Found multiple array filters with the same top-level field name ${name}`);
    filters.set(name, compileFilter(filter));
  }
  return filters;
}

/**
 * Adds a changed path. No path, nor a path inside it, is changed twice, because the order would matter.
 * @throws MongoError 40
 */
export function addPath(paths: Path[], path: Path): void {
  const clash = paths.find((other) => {
    const length = Math.min(path.length, other.length);
    return path.slice(0, length).every((part, i) => part === other[i]);
  });
  if (clash)
    fail(
      40,
      `Updating the path '${path.join('.')}' would create a conflict at '${clash.join('.')}'`,
    );
  paths.push(path);
}

/** The concrete paths of a path with `$`, `$[]` and `$[name]` in a document. */
export function resolvePath(doc: Doc, source: string, context: PathContext): Path[] {
  const parts = source.split('.');
  let found: { path: string[]; value: unknown }[] = [{ path: [], value: doc }];
  for (const [at, part] of parts.entries()) {
    found = found.flatMap(({ path, value }) =>
      choose(part, value, { ...context, arrayPath: parts.slice(0, at).join('.') }).map((name) => ({
        path: [...path, name],
        value: child(value, name),
      })),
    );
  }
  return found.map(({ path }) => path);
}

function choose(
  part: string,
  value: unknown,
  context: PathContext & { arrayPath: string },
): string[] {
  if (part !== '$' && !part.startsWith('$[')) return [part];
  const { arrayPath, filter, arrayFilters } = context;
  if (part === '$') {
    const index = Array.isArray(value) ? matchedIndex(value, arrayPath, filter) : -1;
    if (index < 0) fail(2, 'The positional operator did not find the match needed from the query.');
    return [String(index)];
  }
  if (!Array.isArray(value))
    fail(2, `The path '${arrayPath}' must exist in the document in order to apply array updates.`);
  const name = part.slice(2, -1);
  const test = arrayFilters.get(name);
  return value.flatMap((element, i) => (!test || test({ [name]: element }) ? [String(i)] : []));
}

/** The element that made the filter match: that of the last condition on the array that a single element satisfies. */
function matchedIndex(array: readonly unknown[], arrayPath: string, filter: Doc): number {
  let index = -1;
  for (const [name, operand] of conditions(filter)) {
    const test = elementCondition(name, operand, arrayPath);
    const found = test ? array.findIndex(test) : -1;
    if (found >= 0) index = found;
  }
  return index;
}

function elementCondition(name: string, operand: unknown, arrayPath: string) {
  // A negation applies to the array as a whole and selects no element.
  if (isOperators(operand) && ['$ne', '$nin', '$not', '$exists'].some((op) => op in operand))
    return null;
  if (name === arrayPath) {
    const condition = compileCondition(operand);
    return (element: unknown) => condition([[element]]);
  }
  if (!name.startsWith(`${arrayPath}.`)) return null;
  const test = compileFilter({ [name.slice(arrayPath.length + 1)]: operand });
  return (element: unknown) => isDoc(element) && test(element);
}

function conditions(filter: Doc): [string, unknown][] {
  return Object.entries(filter).flatMap(([name, operand]): [string, unknown][] =>
    name === '$and' && Array.isArray(operand)
      ? operand.flatMap((part) => (isDoc(part) ? conditions(part) : []))
      : [[name, operand]],
  );
}

function child(container: unknown, name: string): unknown {
  if (Array.isArray(container)) return isIndex(name) ? container[Number(name)] : undefined;
  return isDoc(container) ? field(container, name) : undefined;
}

/** The value at a concrete path; undefined when missing. */
export const readAt = (doc: Doc, path: Path): unknown =>
  path.reduce<unknown>((value, name) => child(value, name), doc);

/** Sets the value at a concrete path and creates missing documents on the way. @throws MongoError 28 on a scalar. */
export function writeAt(doc: Doc, path: Path, value: unknown): void {
  let container: unknown = doc;
  for (const [i, name] of path.slice(0, -1).entries()) {
    let next = child(container, name);
    if (next === undefined) put(container, name, (next = {}));
    if (!isDoc(next) && !Array.isArray(next)) notViable(path[i + 1] ?? '', name, next);
    if (Array.isArray(next) && !isIndex(path[i + 1] ?? ''))
      notViable(path[i + 1] ?? '', name, next);
    container = next;
  }
  put(container, path.at(-1) ?? '', value);
}

/** Removes the value at a concrete path; an array element becomes null. */
export function removeAt(doc: Doc, path: Path): void {
  const container = readAt(doc, path.slice(0, -1));
  const name = path.at(-1) ?? '';
  if (Array.isArray(container)) container[Number(name)] = null;
  else if (isDoc(container)) delete container[name];
}

const notViable = (name: string, parent: string, value: unknown): never =>
  fail(28, `Cannot create field '${name}' in element {${parent}: ${show(value)}}`);

const MAX_PADDING = 1_500_000;

function put(container: unknown, name: string, value: unknown): void {
  if (Array.isArray(container)) {
    const index = Number(name);
    if (index > container.length + MAX_PADDING)
      fail(2, `can't backfill array to larger than ${MAX_PADDING} elements`);
    while (container.length < index) container.push(null);
    container[index] = value;
  } else {
    // Plain assignment would run the setter that every object inherits for `__proto__`.
    Object.defineProperty(container as Doc, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}
