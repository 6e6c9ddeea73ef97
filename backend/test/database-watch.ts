// Every command that a test run sends to its database passes here: each kind of command is checked once, as a sharded cluster would.
import { type Doc, decode, Raw } from '../embedded/mongo/bson.ts';
import { type Connection, connectMongo, createIndexes } from '../src/db/mongo.ts';
import type { ShardKey } from '../src/db/sharding.ts';
import { serve } from '../src/http/serve.fixture.ts';
import { shardKeysOf } from '../src/processes/parts/shard-keys.ts';
import { PRODUCT, proxyDatabase } from './database-proxy.ts';
import { READS_ALL, STATEMENTS_OF_TESTS, WITHOUT_KEY } from './sweeps.ts';

const QUERIES = new Set([
  'find',
  'update',
  'delete',
  'findAndModify',
  'aggregate',
  'count',
  'distinct',
]);

/** A kind of command: its name, collection, and the fields of its filter. */
interface Shape {
  name: string;
  /** Whether a process of the product has sent it, not a test. */
  isProduct: boolean;
  filter: Doc;
  /** The command with this filter only, for `explain`. */
  command: Doc;
  collection: string;
}

export interface DatabaseWatch {
  /** The address of the database behind the watch. */
  uri: string;
  /** Answers what the commands since the last call have done wrong, a JSON list of sentences. */
  reportUrl: string;
}

/** Ends with its thread. */
export async function watchDatabase(uri: string): Promise<DatabaseWatch> {
  const connection = await connectMongo(uri);
  const keys = shardKeysOf(connection);
  // Queries are explained here: in the database of a test, indexes may be missing or gone at that moment.
  await createIndexes(connection);
  const seen = new Set<string>();
  let unchecked: Shape[] = [];
  const see = (command: Doc, _bytes: number, client: string) => {
    const isProduct = client === PRODUCT;
    for (const shape of shapesOf(command)) {
      const id = `${client} ${shape.name}`;
      if (seen.has(id) || !keys.has(shape.collection)) continue;
      seen.add(id);
      unchecked.push({ ...shape, isProduct });
    }
  };
  const proxy = await proxyDatabase(uri, see);
  const reports = await serve((_request, response) => {
    const shapes = unchecked;
    unchecked = [];
    void faultsOf(connection, keys, shapes).then((faults) =>
      // A kept connection could end while a busy test process sends its next request.
      response.setHeader('connection', 'close').end(JSON.stringify(faults)),
    );
  });
  return { uri: proxy.uri, reportUrl: reports.url };
}

function shapesOf(command: Doc): Omit<Shape, 'isProduct'>[] {
  const [verb = ''] = Object.keys(command);
  if (!QUERIES.has(verb)) return [];
  const { pipeline, updates, deletes, sort, hint } = command;
  const collection = String(command[verb]);
  const statements = [updates, deletes].find(Array.isArray) as (Doc | Raw)[] | undefined;
  const of = (filter: Doc, explained: Doc) => ({
    name: `${verb} ${collection} ${fieldsOf(filter).join()}`.trim(),
    filter,
    command: { [verb]: collection, ...explained },
    collection,
  });
  if (statements)
    return statements.map((one) => {
      const statement = one instanceof Raw ? decode(one.bytes) : one;
      return of(statement.q as Doc, { [updates ? 'updates' : 'deletes']: [statement] });
    });
  const order = { ...(sort !== undefined && { sort }), ...(hint !== undefined && { hint }) };
  if (Array.isArray(pipeline)) {
    const filter = ((pipeline[0] as Doc).$match ?? {}) as Doc;
    return [of(filter, { pipeline: pipeline as Doc[], cursor: {}, ...order })];
  }
  const place = verb === 'find' ? 'filter' : 'query';
  const filter = (command[place] ?? {}) as Doc;
  const { update } = command;
  return [of(filter, { [place]: filter, ...order, ...(update !== undefined && { update }) })];
}

/** The fields that every found document is compared with. */
const fieldsOf = (filter: Doc): string[] =>
  Object.entries(filter)
    .flatMap(([name, operand]) =>
      name === '$and' && Array.isArray(operand)
        ? operand.flatMap((one) => fieldsOf(one as Doc))
        : name,
    )
    .toSorted();

async function faultsOf(
  connection: Connection,
  keys: ReadonlyMap<string, ShardKey>,
  shapes: readonly Shape[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const shape of shapes) {
    if (!shape.isProduct && STATEMENTS_OF_TESTS.has(shape.name)) continue;
    const field = keys.get(shape.collection)?.[0];
    if (field && !fieldsOf(shape.filter).includes(field) && !WITHOUT_KEY.has(shape.name))
      faults.push(`The filter lacks the shard key ${field}: ${shape.name}`);
    const explain = { explain: shape.command, verbosity: 'queryPlanner' };
    const explained = await connection.db?.command(explain);
    const reads = JSON.stringify(explained?.queryPlanner?.winningPlan ?? {});
    if (reads.includes('COLLSCAN') && !READS_ALL.has(shape.name))
      faults.push(`Reads the whole collection: ${shape.name}`);
  }
  return faults;
}
