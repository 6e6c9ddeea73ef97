import { type Doc, decode, encode, Raw } from '../bson.ts';

import { insertDocument, requireUpdate, updateDocument, upsertDocument } from '../documents.ts';
import { fail, MongoError } from '../errors.ts';
import { compileProjection } from '../projection.ts';
import { find, parseSort, type Query } from '../query.ts';
import type { UpdateContext } from '../update.ts';
import { parseArrayFilters } from '../update-paths.ts';
import {
  asDoc,
  type Command,
  type Context,
  collectionOf,
  countIn,
  docIn,
  listIn,
  namespaceOf,
  requireKnown,
} from './command.ts';

/** Runs the statements of a command; an ordered one (the default) ends at the first refusal. */
function eachStatement<T>(
  command: Doc,
  items: readonly T[],
  run: (item: T, index: number) => void,
): Doc {
  const writeErrors: Doc[] = [];
  for (const [index, item] of items.entries()) {
    try {
      run(item, index);
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (command.ordered !== false) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

const insert: Command = {
  takes: ['documents', 'ordered'],
  writes: true,
  run(command, context) {
    const collection = context.store.ensure(namespaceOf(command, context));
    let n = 0;
    const refused = eachStatement(command, listIn(command, 'documents'), (item) => {
      insertDocument(collection, item instanceof Raw ? item.bytes : encode(item));
      n++;
    });
    return { n, ...refused };
  },
};

const UPDATE_FIELDS = new Set(['q', 'u', 'multi', 'upsert', 'arrayFilters', 'hint', 'sort']);

const update: Command = {
  takes: ['updates', 'ordered'],
  writes: true,
  run(command, context) {
    const upserted: Doc[] = [];
    let [n, nModified] = [0, 0];
    const refused = eachStatement(
      command,
      listIn(command, 'updates').map(asDoc),
      (statement, index) => {
        requireKnown(statement, 'update.updates', UPDATE_FIELDS);
        const result = updateMatching(statement, command, context);
        n += result.matched;
        nModified += result.modified;
        if (result.upsertedId !== undefined) upserted.push({ index, _id: result.upsertedId });
      },
    );
    return { n, nModified, ...(upserted.length > 0 && { upserted }), ...refused };
  },
};

function updateMatching(statement: Doc, command: Doc, context: Context) {
  const multi = statement.multi === true;
  const filter = docIn(statement, 'q');
  const change = changeIn(statement.u, { source: statement, filter, multi });
  const collection = collectionOf(command, context);
  // All documents are found before the first change, so that none is updated twice.
  const rows = collection
    ? [...find(collection, one(statement, { filter, limit: multi ? 0 : 1 }))]
    : [];
  let modified = 0;
  for (const row of collection ? rows : []) {
    if (collection && updateDocument(collection, row, change).changed) modified++;
  }
  if (rows.length > 0 || statement.upsert !== true) return { matched: rows.length, modified };
  const { doc } = upsertDocument(context.store.ensure(namespaceOf(command, context)), {
    filter,
    ...change,
  });
  return { matched: 1, modified, upsertedId: doc._id };
}

/** An update and its array filters. @throws MongoError when it is wrong for every document. */
function changeIn(
  update: unknown,
  { source, filter, multi }: { source: Doc; filter: Doc; multi: boolean },
): { update: Doc; context: UpdateContext } {
  const arrayFilters = parseArrayFilters(source.arrayFilters);
  return {
    update: requireUpdate(update, { multi, arrayFilters }),
    context: { filter, arrayFilters, now: new Date(), inserting: false },
  };
}

const one = (source: Doc, { filter, limit }: { filter: Doc; limit: number }): Query => ({
  filter,
  sort: parseSort(source.sort),
  skip: 0,
  limit,
  hint: source.hint,
});

const DELETE_FIELDS = new Set(['q', 'limit', 'hint']);

const remove: Command = {
  takes: ['deletes', 'ordered'],
  writes: true,
  run(command, context) {
    const collection = collectionOf(command, context);
    let n = 0;
    const refused = eachStatement(command, listIn(command, 'deletes').map(asDoc), (statement) => {
      requireKnown(statement, 'delete.deletes', DELETE_FIELDS);
      const query = one(statement, {
        filter: docIn(statement, 'q'),
        limit: countIn(statement, 'limit', 0),
      });
      for (const row of collection ? [...find(collection, query)] : []) {
        collection?.remove(row);
        n++;
      }
    });
    return { n, ...refused };
  },
};

const findAndModify: Command = {
  takes: ['query', 'update', 'remove', 'new', 'upsert', 'sort', 'fields', 'arrayFilters', 'hint'],
  writes: true,
  run(command, context) {
    const filter = docIn(command, 'query');
    const collection = collectionOf(command, context);
    const query = one(command, { filter, limit: 1 });
    const change =
      command.remove === true
        ? null
        : changeIn(command.update, { source: command, filter, multi: false });
    const row = collection && [...find(collection, query)][0];
    const project = compileProjection(command.fields);
    const value = (raw: Uint8Array) => (project ? project(decode(raw)) : new Raw(raw));
    if (!change) {
      if (command.update !== undefined) fail(9, 'Cannot specify both an update and remove=true');
      if (row) collection.remove(row);
      return { lastErrorObject: { n: row ? 1 : 0 }, value: row ? value(row.raw) : null };
    }
    if (row) {
      const { raw } = updateDocument(collection, row, change);
      return {
        lastErrorObject: { n: 1, updatedExisting: true },
        value: value(command.new === true ? raw : row.raw),
      };
    }
    if (command.upsert !== true)
      return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
    const stored = upsertDocument(context.store.ensure(namespaceOf(command, context)), {
      filter,
      ...change,
    });
    return {
      lastErrorObject: { n: 1, updatedExisting: false, upserted: stored.doc._id },
      value: command.new === true ? value(stored.raw) : null,
    };
  },
};

export const writeCommands: Record<string, Command> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
};
