import { BSONRegExp } from 'bson';
import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { isOperators } from './match.ts';
import type { Path } from './paths.ts';
import { OPERATORS } from './update-operators.ts';
import {
  addPath,
  type PathContext,
  readAt,
  removeAt,
  resolvePath,
  writeAt,
} from './update-paths.ts';
import { clone, equal, isDoc } from './values.ts';

export interface UpdateContext extends PathContext {
  now: Date;
  /** True for the document that an upsert inserts. */
  inserting: boolean;
}

/** True for `{ $set: … }`, false for a replacement. @throws MongoError 9 for anything else. */
export function isModification(update: unknown): update is Doc {
  if (Array.isArray(update)) fail(9, 'The embedded database takes no update pipelines');
  if (!isDoc(update)) fail(9, 'An update must be an object');
  const names = Object.keys(update);
  if (!names.some((name) => name.startsWith('$'))) return false;
  const unknown = names.find((name) => name !== '$rename' && !Object.hasOwn(OPERATORS, name));
  if (unknown !== undefined)
    fail(9, `Unknown modifier: ${unknown}. Expected a valid update modifier`);
  return true;
}

/** The document after an update that `requireUpdate` has accepted; `doc` itself stays unchanged. */
export function applyUpdate(doc: Doc, update: Doc, context: UpdateContext): Doc {
  const result = isModification(update) ? modify(doc, update, context) : replace(doc, update);
  if (doc._id !== undefined && !equal(result._id, doc._id))
    fail(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  return result;
}

function replace(doc: Doc, replacement: Doc): Doc {
  const { _id = doc._id, ...fields } = replacement;
  return _id === undefined ? fields : { _id, ...fields };
}

function modify(doc: Doc, update: Doc, context: UpdateContext): Doc {
  const changes = new Changes(clone(doc));
  for (const [name, operands] of Object.entries(update)) {
    const operator = OPERATORS[name];
    for (const [source, operand] of Object.entries(operands as Doc)) {
      // The document as it was found determines the elements of `$` and `$[name]`, independent of earlier changes.
      for (const path of resolvePath(doc, source, context)) {
        const current = readAt(changes.doc, path);
        if (operator) changes.set(path, operator(current, operand, { path: source, ...context }));
        else changes.rename(path, operand as string);
      }
    }
  }
  return changes.doc;
}

/** Changes of one document. Paths with `$` and `$[name]` may resolve to a changed one only here. */
class Changes {
  readonly doc: Doc;
  readonly #touched: Path[] = [];

  constructor(doc: Doc) {
    this.doc = doc;
  }

  set(path: Path, value: unknown): void {
    addPath(this.#touched, path);
    if (value !== undefined) writeAt(this.doc, path, value);
    else if (readAt(this.doc, path) !== undefined) removeAt(this.doc, path);
  }

  rename(path: Path, to: string): void {
    const value = readAt(this.doc, path);
    this.set(path, undefined);
    if (value !== undefined) this.set(to.split('.'), value);
  }
}

/**
 * The initial document of an upsert: the fields that the filter requires to be equal; for a replacement only the `_id`.
 * @throws MongoError 54 when the filter requires two values for one path
 */
export function upsertSeed(filter: Doc, update: Doc): Doc {
  const demanded = equalities(filter);
  const used = isModification(update) ? demanded : demanded.filter(([[name]]) => name === '_id');
  const seed: Doc = {};
  for (const [i, [path, value]] of used.entries()) {
    requireSingle(path, used.slice(0, i));
    writeAt(seed, path, clone(value));
  }
  return seed;
}

function requireSingle(path: Path, others: [Path, unknown][]): void {
  const name = path.join('.');
  for (const other of others.map(([otherPath]) => otherPath.join('.'))) {
    if (other === name)
      fail(54, `cannot infer query fields to set, path '${name}' is matched twice`);
    if (other.startsWith(`${name}.`) || name.startsWith(`${other}.`))
      fail(54, `cannot infer query fields to set, both paths '${name}' and '${other}' are matched`);
  }
}

function equalities(filter: Doc): [Path, unknown][] {
  return Object.entries(filter).flatMap(([name, operand]): [Path, unknown][] => {
    const single =
      name === '$and' || (name === '$or' && Array.isArray(operand) && operand[1] === undefined);
    if (single && Array.isArray(operand)) return operand.filter(isDoc).flatMap(equalities);
    if (name.startsWith('$') || operand instanceof BSONRegExp) return [];
    const path = name.split('.');
    if (!isOperators(operand)) return [[path, operand]];
    const only =
      Array.isArray(operand.$all) && operand.$all.length === 1 ? operand.$all[0] : undefined;
    return [
      ...('$eq' in operand ? [[path, operand.$eq] as [Path, unknown]] : []),
      ...(only === undefined || only instanceof BSONRegExp || isOperators(only)
        ? []
        : [[path, only] as [Path, unknown]]),
    ];
  });
}
