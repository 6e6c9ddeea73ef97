import type { Doc } from './bson.ts';
import { fail } from './errors.ts';
import { isOperators } from './match.ts';
import type { Path } from './paths.ts';
import { OPERATORS } from './update-operators.ts';
import { type PathContext, readAt, removeAt, resolvePath, writeAt } from './update-paths.ts';
import { clone, equal, isDoc, show } from './values.ts';

export interface UpdateContext extends PathContext {
  now: Date;
  /** True for the document that an upsert inserts. */
  inserting: boolean;
}

/** True for `{ $set: … }`, false for a replacement. @throws MongoError 9 for what is neither. */
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

/** The document after an update; `doc` itself is left alone. */
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
    if (!isDoc(operands)) fail(9, `Modifiers operate on fields but we found ${show(operands)}`);
    const operator = OPERATORS[name];
    for (const [source, operand] of Object.entries(operands)) {
      for (const path of resolvePath(changes.doc, source, context)) {
        const current = readAt(changes.doc, path);
        if (operator) changes.set(path, operator(current, operand, { path: source, ...context }));
        else changes.rename(path, operand);
      }
    }
  }
  return changes.doc;
}

/** Changes of one document; no path, nor one inside it, is changed twice, because the order would matter. */
class Changes {
  readonly doc: Doc;
  readonly #touched: Path[] = [];

  constructor(doc: Doc) {
    this.doc = doc;
  }

  set(path: Path, value: unknown): void {
    this.#touch(path);
    if (value !== undefined) writeAt(this.doc, path, value);
    else if (readAt(this.doc, path) !== undefined) removeAt(this.doc, path);
  }

  rename(path: Path, to: unknown): void {
    if (typeof to !== 'string') fail(2, "The 'to' field for $rename must be a string");
    const value = readAt(this.doc, path);
    this.set(path, undefined);
    if (value !== undefined) this.set(to.split('.'), value);
  }

  #touch(path: Path): void {
    const clash = this.#touched.find((other) => {
      const length = Math.min(path.length, other.length);
      return path.slice(0, length).every((part, i) => part === other[i]);
    });
    if (clash)
      fail(
        40,
        `Updating the path '${path.join('.')}' would create a conflict at '${clash.join('.')}'`,
      );
    this.#touched.push(path);
  }
}

/**
 * The document that an upsert begins with: what the filter demands to be equal; for a replacement the `_id` alone.
 */
export function upsertSeed(filter: Doc, update: Doc): Doc {
  const seed: Doc = {};
  for (const [path, value] of equalities(filter)) writeAt(seed, path, clone(value));
  if (isModification(update)) return seed;
  return seed._id === undefined ? {} : { _id: seed._id };
}

function equalities(filter: Doc): [Path, unknown][] {
  return Object.entries(filter).flatMap(([name, operand]): [Path, unknown][] => {
    if (name === '$and' && Array.isArray(operand)) return operand.filter(isDoc).flatMap(equalities);
    if (name.startsWith('$')) return [];
    if (!isOperators(operand)) return [[name.split('.'), operand]];
    return '$eq' in operand ? [[name.split('.'), operand.$eq]] : [];
  });
}
