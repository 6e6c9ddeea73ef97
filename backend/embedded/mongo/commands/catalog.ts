import { type Doc, encode } from '../bson.ts';
import type { Collection } from '../collection.ts';
import { fail } from '../errors.ts';
import { type IndexSpec, parseIndex, requireValidTtl, sameIndex, sameKey } from '../index-spec.ts';
import { compileFilter } from '../match.ts';
import { describeTextIndex } from '../text-index.ts';
import { equal, isDoc, show } from '../values.ts';
import {
  asDoc,
  type Command,
  type Context,
  collectionOf,
  docIn,
  listIn,
  namespace,
  namespaceOf,
} from './command.ts';

const create: Command = {
  takes: [],
  writes: true,
  run(command, context) {
    const name = namespaceOf(command, context);
    if (context.store.find(name)) fail(48, `Collection ${name} already exists.`);
    context.store.ensure(name);
    return {};
  },
};

const drop: Command = {
  takes: [],
  writes: true,
  run(command, context) {
    const collection = collectionOf(command, context);
    if (collection) dropCollection(collection, context);
    return { ns: namespaceOf(command, context) };
  },
};

const dropDatabase: Command = {
  takes: [],
  writes: true,
  run(_command, context) {
    for (const collection of context.store.list(context.database))
      dropCollection(collection, context);
    return { dropped: context.database };
  },
};

function dropCollection(collection: Collection, { store, cursors }: Context): void {
  cursors.closeAll(collection.namespace);
  store.drop(collection);
}

const renameCollection: Command = {
  takes: ['to', 'dropTarget'],
  writes: true,
  run({ renameCollection: from, to, dropTarget }, context) {
    const { store, cursors } = context;
    const [source, target] = [from, to].map((name) =>
      typeof name === 'string' ? name : fail(73, 'Invalid namespace'),
    );
    const collection =
      store.find(source ?? '') ?? fail(26, `Source collection ${source} does not exist`);
    const existing = store.find(target ?? '');
    if (existing && dropTarget === true) dropCollection(existing, context);
    cursors.closeAll(collection.namespace);
    const [database = '', ...rest] = (target ?? '').split('.');
    store.rename(collection, namespace(database, rest.join('.')));
    return {};
  },
};

const listCollections: Command = {
  takes: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run(command, { store, cursors, database }) {
    const matches = compileFilter(docIn(command, 'filter'));
    const described = store.list(database).map(({ namespace: name }) => ({
      name: name.slice(database.length + 1),
      type: 'collection',
    }));
    return all(cursors, `${database}.$cmd.listCollections`, described.filter(matches));
  },
};

const all = (cursors: Context['cursors'], name: string, docs: Doc[]) =>
  cursors.first(name, docs.map(encode).values(), { batchSize: Infinity });

const listIndexes: Command = {
  takes: ['cursor'],
  run(command, context) {
    const name = namespaceOf(command, context);
    const collection = context.store.find(name) ?? fail(26, `ns does not exist: ${name}`);
    return all(
      context.cursors,
      name,
      collection.indexes.map(({ spec }) =>
        spec.text ? describeTextIndex(spec.source, spec.text) : spec.source,
      ),
    );
  },
};

const createIndexes: Command = {
  takes: ['indexes'],
  writes: true,
  run(command, context) {
    const collection = context.store.ensure(namespaceOf(command, context));
    const numIndexesBefore = collection.indexes.length;
    for (const source of listIn(command, 'indexes').map(asDoc)) {
      const wanted = parseIndex(source);
      requireValidTtl(wanted);
      if (isNew(wanted, collection)) context.store.addIndex(collection, source);
    }
    return { numIndexesBefore, numIndexesAfter: collection.indexes.length };
  },
};

/** False when the same index exists. @throws MongoError 85 or 86 when a different one has its name or keys. */
function isNew(wanted: IndexSpec, { indexes }: Collection): boolean {
  const specs = indexes.map(({ spec }) => spec);
  const named = specs.find(({ name }) => name === wanted.name);
  if (named && !sameKey(named, wanted))
    fail(86, `An existing index has the same name as the requested index: ${wanted.name}`);
  if (named && named.name !== '_id_' && !sameIndex(named, wanted))
    fail(
      85,
      `An equivalent index already exists with the same name but different options: ${wanted.name}`,
    );
  const alike = specs.find(
    (spec) => sameKey(spec, wanted) && equal(spec.partial?.filter, wanted.partial?.filter),
  );
  const text = specs.find((spec) => spec.text);
  if (wanted.text && text && !sameIndex(text, wanted))
    fail(
      85,
      `only one text index per collection allowed, found existing text index "${text.name}"`,
    );
  if (!named && alike && alike.name !== '_id_')
    fail(85, `Index already exists with a different name: ${alike.name}`);
  return !named && !alike;
}

const dropIndexes: Command = {
  takes: ['index'],
  writes: true,
  run(command, context) {
    const name = namespaceOf(command, context);
    const collection = context.store.find(name) ?? fail(26, `ns not found ${name}`);
    const nIndexesWas = collection.indexes.length;
    const { index: wanted } = command;
    const found = collection.indexes.filter(
      ({ spec }) =>
        (wanted === '*' && spec.name !== '_id_') ||
        spec.name === wanted ||
        (isDoc(wanted) && equal(spec.source.key, wanted)),
    );
    if (found.length === 0 && wanted !== '*')
      fail(27, `index not found with name [${show(wanted)}]`);
    if (found.some(({ spec }) => spec.name === '_id_')) fail(72, 'cannot drop _id index');
    context.cursors.closeAll(name);
    for (const index of found) context.store.dropIndex(collection, index);
    return { nIndexesWas };
  },
};

export const catalogCommands: Record<string, Command> = {
  create,
  drop,
  dropDatabase,
  renameCollection,
  listCollections,
  listIndexes,
  createIndexes,
  dropIndexes,
};
