import type { Doc } from '../bson.ts';
import { fail, MongoError } from '../errors.ts';
import { catalogCommands } from './catalog.ts';
import { type Command, type Context, requireKnown } from './command.ts';
import { readCommands } from './read.ts';
import { sessionCommands } from './session.ts';
import { writeCommands } from './write.ts';

const COMMANDS = new Map<string, Command>(
  Object.entries({ ...sessionCommands, ...readCommands, ...writeCommands, ...catalogCommands }),
);

// Fields of every command. With one server and one writer at a time, every read and write concern is satisfied.
const COMMON = [
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'comment',
  'maxTimeMS',
];

/** Answers a command. A refusal is an answer too; any other failure is also passed to `report`. */
export function answer(
  body: Doc,
  context: Omit<Context, 'database'>,
  report: (error: unknown) => void,
): Doc {
  try {
    return { ...execute(body, context), ok: 1 };
  } catch (error) {
    if (error instanceof MongoError) return refusal(error);
    report(error);
    return refusal(new MongoError(8, `The embedded database failed: ${String(error)}`));
  }
}

/** The answer that refuses a command. */
export const refusal = (error: MongoError): Doc => ({
  ok: 0,
  errmsg: error.message,
  code: error.code,
  codeName: error.codeName,
  ...error.details,
});

function execute(body: Doc, context: Omit<Context, 'database'>): Doc {
  const name = Object.keys(body)[0] ?? '';
  const command = COMMANDS.get(name) ?? fail(59, `no such command: '${name}'`);
  const { $db: database } = body;
  if (typeof database !== 'string' || !/^[^\0/\\. "$]+$/.test(database))
    fail(73, 'Invalid database name');
  if ('autocommit' in body || 'startTransaction' in body || 'txnNumber' in body)
    fail(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  if (command.takes !== 'anything')
    requireKnown(body, name, new Set([name, ...COMMON, ...command.takes]));
  const run = () => command.run(body, { ...context, database });
  return command.writes ? context.store.atomically(run) : run();
}
