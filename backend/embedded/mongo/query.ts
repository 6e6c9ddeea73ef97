import type { Doc } from './bson.ts';
import type { Collection, Row, TextMatch } from './collection.ts';
import { fail } from './errors.ts';
import { compileFilter, type Test } from './match.ts';
import { isNumeric, toDouble } from './numbers.ts';
import { keyValues } from './paths.ts';
import { type IndexPlan, plan, planWalks, type SortField } from './plan.ts';
import {
  isTextScore,
  noTextScore,
  planText,
  splitText,
  type TextQuery,
  textScore,
} from './text-query.ts';
import { compare, isDoc, show } from './values.ts';

export interface Query {
  filter: Doc;
  sort: SortField[];
  skip: number;
  /** 0: no limit. */
  limit: number;
  hint?: unknown;
}

/** @throws MongoError for values other than 1 or -1. */
export function parseSort(source: unknown): SortField[] {
  if (source === undefined || source === null) return [];
  if (!isDoc(source)) fail(14, 'the sort must be an object');
  return Object.entries(source).map(([name, value]): SortField => {
    if (isTextScore(value)) return { name, path: [], direction: -1, byScore: true };
    const direction = isNumeric(value) ? toDouble(value) : 0;
    if (direction !== 1 && direction !== -1)
      fail(15974, `Illegal key in $sort specification: ${name}: ${show(value)}`);
    if (name.startsWith('$')) fail(2, `The embedded database does not sort by ${name}`);
    return { name, path: name.split('.'), direction };
  });
}

/** A compiled filter. @throws MongoError for a filter that the collection cannot run */
export function compileQuery(
  collection: Collection | undefined,
  { filter, hint, sort }: Pick<Query, 'filter' | 'hint' | 'sort'>,
): { text: TextQuery | null; filter: Doc; matches: Test } {
  const { text: operand, rest } = splitText(filter);
  const matches = compileFilter(rest);
  if (operand === undefined) {
    if (sort.some(({ byScore }) => byScore)) noTextScore();
    return { text: null, filter: rest, matches };
  }
  if (hint !== undefined) fail(2, 'text and hint not allowed in same query');
  const text = planText(collection, operand, rest);
  return { text, filter: rest, matches: (doc) => matches(doc) && text.confirms(doc) };
}

/** The documents of a query. The iteration may be paused while writes happen. */
export function* find(collection: Collection, query: Query): Generator<Row> {
  const { text, filter, matches } = compileQuery(collection, query);
  if (text) {
    const { index, match } = text;
    if (match === null) return;
    const walked = walkFound(collection, { ...query, filter }, { index, match });
    const rows = filtered(walked ?? collection.search(index, match), matches);
    const ordered = walked !== null || query.sort.every(({ byScore }) => byScore);
    yield* page(ordered ? rows : sortRows(rows, query), query);
    return;
  }
  const walks = planWalks(collection, { ...query, filter });
  const everything = Object.keys(filter).length === 0;
  const rows = read(collection, walks, query);
  const matching = everything ? rows : filtered(rows, matches);
  // Of several walks none has the order.
  const ordered = walks?.every(({ sorted }) => sorted) || query.sort.length === 0;
  yield* page(ordered ? matching : sortRows(matching, query), query);
}

/** Up to this number of results, reading and sorting is faster than an index. */
const FEW = 300;

/**
 * Many results of a text search in the order of the query, by an index with that order, so that not all of them are read. Null when they
 * are few, or no index has the order.
 */
function walkFound(collection: Collection, query: Query, among: TextMatch): Generator<Row> | null {
  if (query.limit === 0 || query.sort.some(({ byScore }) => byScore)) return null;
  const found = plan(collection, query);
  const [span] = found?.spans ?? [];
  if (!found?.sorted || !span || found.spans.length > 1) return null;
  if (!collection.findsMore(among, FEW)) return null;
  const { index, reverse } = found;
  return collection.walk(index, span, { reverse, wanted: query.skip + query.limit, among });
}

/** The number of documents of a query. */
export function count(collection: Collection, query: Omit<Query, 'sort'>): number {
  const { filter, skip, limit } = query;
  const { text } = compileQuery(collection, { ...query, sort: [] });
  const found = text ? null : plan(collection, { ...query, sort: [] });
  const within = (total: number) => Math.min(Math.max(total - skip, 0), limit || Infinity);
  if (Object.keys(filter).length === 0) return within(collection.size());
  if (found?.exact)
    return within(
      found.spans.reduce((sum, span) => sum + collection.entries(found.index, span), 0),
    );
  let total = 0;
  for (const _ of find(collection, { ...query, sort: [] })) total++;
  return total;
}

function* read(
  collection: Collection,
  walks: readonly IndexPlan[] | null,
  query: Query,
): Generator<Row> {
  if (!walks) {
    yield* collection.scan();
    return;
  }
  // An index over arrays contains a document several times, and branches have documents in common.
  const repeats = walks.length > 1 || walks.some(({ index }) => index.multikey);
  const seen = new Set<number>();
  const wanted = query.limit ? query.skip + query.limit : 64;
  for (const { index, spans, reverse } of walks) {
    for (const span of spans) {
      for (const row of collection.walk(index, span, { reverse, wanted })) {
        if (repeats && seen.has(row.id)) continue;
        if (repeats) seen.add(row.id);
        yield row;
      }
    }
  }
}

function* filtered(rows: Iterable<Row>, matches: Test): Generator<Row> {
  for (const row of rows) if (matches(row.doc)) yield row;
}

/** Maximum memory of a sort; MongoDB's limit. */
const MAX_SORT_BYTES = 100 * 1024 * 1024;
const SORT_CHUNK = 1_000;

/** @throws MongoError 292 when the sort needs more memory than MongoDB's limit. */
function sortRows(rows: Iterable<Row>, { sort, skip, limit }: Query): Row[] {
  const wanted = limit ? skip + limit : Infinity;
  let kept: { key: unknown[]; row: Row }[] = [];
  let bytes = 0;
  const cut = () => {
    kept = kept.toSorted((a, b) => compareSortKeys(a.key, b.key, sort));
    if (kept.length <= wanted) return;
    kept.length = wanted;
    bytes = kept.reduce((sum, { row }) => sum + row.raw.length, 0);
  };
  for (const row of rows) {
    // Only keys and bytes are kept: the decoded document is released.
    kept.push({ key: sortKey(row.doc, sort), row: row.undecoded() });
    bytes += row.raw.length;
    if (kept.length >= wanted + SORT_CHUNK || bytes > MAX_SORT_BYTES) cut();
    if (bytes > MAX_SORT_BYTES)
      fail(
        292,
        `Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes, but did not opt in to external sorting.`,
      );
  }
  cut();
  return kept.map(({ row }) => row);
}

/** The sort key of a document: for an array the smallest element in ascending, the largest in descending order. */
export function sortKey(doc: unknown, sort: readonly SortField[]): unknown[] {
  return sort.map(({ path, direction, byScore }) =>
    byScore
      ? textScore(doc)
      : keyValues(doc, path).values.reduce((best, value) =>
          direction * compare(value, best) < 0 ? value : best,
        ),
  );
}

export function compareSortKeys(a: unknown[], b: unknown[], sort: readonly SortField[]): number {
  for (const [i, { direction }] of sort.entries()) {
    const difference = compare(a[i], b[i]);
    if (difference) return direction * difference;
  }
  return 0;
}

function* page(rows: Iterable<Row>, { skip, limit }: Query): Generator<Row> {
  let seen = 0;
  for (const row of rows) {
    if (++seen <= skip) continue;
    yield row;
    if (limit && seen >= skip + limit) return;
  }
}
