import { compilePipeline, stageOf, wholeNumber } from '../aggregate.ts';
import { type Doc, encode } from '../bson.ts';
import type { Collection, Row } from '../collection.ts';
import { fail } from '../errors.ts';
import { fromNumber, isNumeric, type Numeric, toDouble } from '../numbers.ts';
import { valuesAt } from '../paths.ts';
import { planWalks } from '../plan.ts';
import { compileProjection } from '../projection.ts';
import { compileQuery, count, find, parseSort, type Query } from '../query.ts';
import { compare, equal, isDoc } from '../values.ts';
import { type Command, collectionOf, countIn, docIn, namespaceOf } from './command.ts';

const FIRST_BATCH = 101;

const findCommand: Command = {
  takes: ['filter', 'projection', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch', 'hint'],
  run(command, context) {
    const collection = collectionOf(command, context);
    const query = queryIn(command, 'filter');
    const project = compileProjection(command.projection);
    compileQuery(collection, query);
    const bytes = (row: Row) => (project ? encode(project(row.doc)) : row.raw);
    return context.cursors.first(namespaceOf(command, context), each(collection, query, bytes), {
      batchSize: countIn(command, 'batchSize', FIRST_BATCH),
      single: command.singleBatch === true,
    });
  },
};

function queryIn(command: Doc, filter: string): Query {
  return {
    filter: docIn(command, filter),
    sort: parseSort(command.sort),
    skip: countIn(command, 'skip', 0),
    limit: countIn(command, 'limit', 0),
    hint: command.hint,
  };
}

function* each<T>(
  collection: Collection | undefined,
  query: Query,
  convert: (row: Row) => T,
): Generator<T> {
  if (collection) for (const row of find(collection, query)) yield convert(row);
}

const getMore: Command = {
  takes: ['collection', 'batchSize'],
  run: (command, { cursors }) =>
    cursors.more(cursorId(command.getMore), countIn(command, 'batchSize', 0) || Infinity),
};

const killCursors: Command = {
  takes: ['cursors'],
  run(command, { cursors }) {
    const ids = Array.isArray(command.cursors) ? command.cursors : [];
    const closed = ids.filter((id) => cursors.close(cursorId(id)));
    const cursorsNotFound = ids.filter((id) => !closed.includes(id));
    return { cursorsKilled: closed, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

const cursorId = (value: unknown) =>
  isNumeric(value) ? toDouble(value) : fail(14, 'no cursor id');

const countCommand: Command = {
  takes: ['query', 'skip', 'limit', 'hint'],
  run(command, context) {
    const collection = collectionOf(command, context);
    return { n: collection ? count(collection, queryIn(command, 'query')) : 0 };
  },
};

const distinct: Command = {
  takes: ['key', 'query', 'hint'],
  run(command, context) {
    const { key } = command;
    if (typeof key !== 'string')
      fail(14, "BSON field 'distinct.key' is the wrong type, expected string");
    const rows = each(collectionOf(command, context), queryIn(command, 'query'), (row) => row.doc);
    const found = [...rows].flatMap((doc) => valuesAt(doc, key.split('.')).flat());
    const values = found.filter((value) => value !== undefined).toSorted(compare);
    return { values: values.filter((value, i) => i === 0 || !equal(value, values[i - 1])) };
  },
};

const aggregate: Command = {
  takes: ['pipeline', 'cursor', 'hint'],
  run(command, context) {
    const { pipeline, hint } = command;
    if (!Array.isArray(pipeline)) fail(14, "'pipeline' option must be specified as an array");
    const { query, rest } = leadingQuery(pipeline, hint);
    const run = compilePipeline(rest);
    const collection = collectionOf(command, context);
    compileQuery(collection, query);
    const counted = onlyCounts(rest);
    const total = collection && counted ? count(collection, query) : 0;
    const docs = counted
      ? [counted(fromNumber(total))].slice(total > 0 ? 0 : 1)
      : run(each(collection, query, (row) => row.doc));
    return context.cursors.first(namespaceOf(command, context), encodeAll(docs), {
      batchSize: countIn(docIn(command, 'cursor'), 'batchSize', FIRST_BATCH),
    });
  },
};

function* encodeAll(docs: Iterable<Doc>): Generator<Uint8Array> {
  for (const doc of docs) yield encode(doc);
}

/** The first stages that one query can answer, by an index if there is one. */
function leadingQuery(pipeline: readonly unknown[], hint: unknown): { query: Query; rest: Doc[] } {
  const query: Query = { filter: {}, sort: [], skip: 0, limit: 0, hint };
  // The order in which a query applies them, each at most once.
  const order = ['$match', '$sort', '$skip', '$limit'];
  let from = 0;
  let used = 0;
  for (const stage of pipeline) {
    const { name, operand } = stageOf(stage);
    const at = order.indexOf(name, from);
    if (at < 0) break;
    if (name === '$match')
      query.filter = isDoc(operand)
        ? operand
        : fail(15959, 'the match filter must be an expression in an object');
    else if (name === '$sort') query.sort = parseSort(operand);
    else if (name === '$skip') query.skip = wholeNumber(operand, name);
    else query.limit = wholeNumber(operand, name) || fail(15958, 'the limit must be positive');
    from = at + 1;
    used++;
  }
  return { query, rest: pipeline.slice(used) as Doc[] };
}

/** When the other stages only count (`countDocuments` of the driver does), the documents are not decoded. */
function onlyCounts(rest: readonly Doc[]): ((n: Numeric) => Doc) | null {
  const [stage, ...more] = rest;
  if (!stage || more.length > 0) return null;
  if (typeof stage.$count === 'string') {
    const name = stage.$count;
    return (n) => ({ [name]: n });
  }
  const { _id, ...fields } = isDoc(stage.$group) ? stage.$group : {};
  const [[name, sum] = [], ...others] = Object.entries(fields);
  const constant = _id === null || isNumeric(_id);
  if (!name || others.length > 0 || !constant || !equal(sum, { $sum: fromNumber(1) })) return null;
  return (n) => ({ _id, [name]: n });
}

/** The stage that reads the documents of a query: whether an index is used, and nothing of its cost. */
const explain: Command = {
  takes: ['explain', 'verbosity'],
  run(command, context) {
    const explained = docIn(command, 'explain');
    const collection = collectionOf(explained, context);
    const query = explainedQuery(explained);
    const stage = collection ? stageOfQuery(collection, query) : 'EOF';
    return {
      queryPlanner: { namespace: namespaceOf(explained, context), winningPlan: { stage } },
    };
  },
};

function explainedQuery(command: Doc): Query {
  const { pipeline, updates, deletes } = command;
  if (Array.isArray(pipeline)) return leadingQuery(pipeline, command.hint).query;
  const [statement] = [updates, deletes].find(Array.isArray) ?? [];
  if (isDoc(statement)) return queryIn(statement, 'q');
  return queryIn(command, 'filter' in command ? 'filter' : 'query');
}

function stageOfQuery(collection: Collection, query: Query): string {
  const { text, filter } = compileQuery(collection, query);
  if (text) return 'TEXT_MATCH';
  const walks = planWalks(collection, { ...query, filter });
  if (!walks) return 'COLLSCAN';
  return walks.length === 1 ? 'IXSCAN' : 'OR';
}

export const readCommands: Record<string, Command> = {
  find: findCommand,
  getMore,
  killCursors,
  count: countCommand,
  distinct,
  aggregate,
  explain,
};
