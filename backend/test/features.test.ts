import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from 'mongoose';
import { expect, it } from 'vitest';
import type { ServerEvents } from '../src/contract/realtime.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { features } from '../src/features/list.ts';
import { ownDatabase } from './processes.ts';

const FEATURES = path.resolve(import.meta.dirname, '../src/features');

/** The code of every feature's folder, joined. */
async function sources(): Promise<Map<string, string>> {
  const folders = await readdir(FEATURES, { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await sourceOf(name)] as const)),
  );
}

async function sourceOf(name: string): Promise<string> {
  const entries = await readdir(path.join(FEATURES, name), {
    recursive: true,
    withFileTypes: true,
  });
  const files = entries.filter(
    (file) =>
      /^(?!.*\.(test|fixture)\.ts$).*\.ts$/.test(file.name) && !file.parentPath.endsWith('/test'),
  );
  const texts = files
    // Without the manifest, which is checked.
    .filter(
      (file) => path.join(file.parentPath, file.name) !== path.join(FEATURES, name, 'index.ts'),
    )
    .map((file) => readFile(path.join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/** The models of a manifest, on a separate connection. */
async function modelsOf(feature: (typeof features)[number]): Promise<string[]> {
  const connection = await connectMongo(ownDatabase());
  try {
    feature.models(connection);
    return connection.modelNames().toSorted();
  } finally {
    await connection.close();
  }
}

it('lists every folder of features, under its name', async () => {
  expect(features.map(({ name }) => name).toSorted()).toEqual(
    [...(await sources()).keys()].toSorted(),
  );
});

/** The definition of a model in a feature's code. */
const MODEL = /(?:connection\.model\(\s*|defineDailyRunModel\(connection, \{\s*name: )'(\w+)'/g;

/** Models of ports, which a feature defines. */
const PORT_MODELS = ['SearchEntry'];

it('has every model defined by the manifest of its feature', async () => {
  const texts = await sources();
  let count = 0;
  for (const feature of features) {
    const found = (texts.get(feature.name) ?? '').matchAll(MODEL);
    const written = [...found].map(([, name]) => name ?? '').toSorted();
    count += written.length;
    const defined = (await modelsOf(feature)).filter((name) => !PORT_MODELS.includes(name));
    expect({ [feature.name]: defined }).toEqual({ [feature.name]: written });
  }
  expect(count).toBeGreaterThan(0);
});

/** Fields that name a user. */
const OWNER_FIELDS = ['ownerId', 'userId', 'accountId'];
/** Null although they name a user: a receipt does so until its deletion is done. */
const CHECKED_ELSEWHERE = ['receipts'];

it('names the owner of every model that has one, so that a deletion checks it', async () => {
  const connection = await connectMongo(ownDatabase());
  try {
    for (const feature of features) {
      const models = feature.models(connection) as Record<string, Model<unknown>>;
      expect(Object.keys(feature.owners).toSorted()).toEqual(Object.keys(models).toSorted());
      const owned = Object.entries(models).filter(([, { schema }]) =>
        OWNER_FIELDS.some((field) => schema.path(field)),
      );
      const unchecked = owned.map(([name]) => name).filter((name) => !feature.owners[name]);
      expect(unchecked.filter((name) => !CHECKED_ELSEWHERE.includes(name))).toEqual([]);
    }
  } finally {
    await connection.close();
  }
});

it('names the shard key of every model, and each unique index begins with it', async () => {
  const connection = await connectMongo(ownDatabase());
  try {
    for (const feature of features) {
      const models = feature.models(connection) as Record<string, Model<unknown>>;
      expect(Object.keys(feature.shardKeys).toSorted()).toEqual(Object.keys(models).toSorted());
      for (const [name, { schema }] of Object.entries(models)) {
        const key = feature.shardKeys[name] ?? [];
        for (const field of key) expect(schema.path(field), `${name}.${field}`).toBeDefined();
        const unique = schema.indexes().filter(([, options]) => options.unique);
        for (const [fields] of unique)
          expect(Object.keys(fields).slice(0, key.length)).toEqual(key);
      }
    }
  } finally {
    await connection.close();
  }
});

it('has every migration in a manifest, and no number twice', async () => {
  const text = [...(await sources()).values()].join('\n');
  const written = [...text.matchAll(/\bid: '(\d{4}-[\w-]+)'/g)].map(([, id]) => id ?? '');
  const listed = features.flatMap(({ migrations }) => migrations.map(({ id }) => id));
  expect(listed.toSorted()).toEqual(written.toSorted());
  expect(new Set(listed.map((id) => id.slice(0, 4))).size).toBe(listed.length);
});

/** The publication of each event in a feature's code; the socket server itself tells tabs about its build, their channel, gaps and who is there. */
const PUBLISHED = {
  'reply:delta': /'reply:delta'/,
  'reply:state': /'reply:state'/,
  'message:created': /'message:created'/,
  'message:updated': /'message:updated'/,
  'conversation:changed': /'conversation:changed'/,
  'conversation:deleted': /'conversation:deleted'/,
  'access:changed': /'access:changed'/,
  'conversation:shared': /'conversation:shared'/,
  'account:changed': /'account:changed'/,
  'file:changed': /'file:changed'/,
  'file:deleted': /'file:deleted'/,
  'memory:changed': /'memory:changed'/,
  'persona:summary': /'persona:summary'/,
  'persona:deleted': /'persona:deleted'/,
  'export:changed': /'export:changed'/,
  'workspace:changed': /'workspace:changed'/,
  'sessions:changed': /'sessions:changed'/,
  'session:ended': /\.endSession\(userId/,
} satisfies Record<
  Exclude<keyof ServerEvents, 'build:changed' | 'channel:joined' | 'gap' | 'presence'>,
  RegExp
>;

it.each(Object.entries(PUBLISHED))(
  '%s is published by the features that declare it',
  async (event, code) => {
    const publishers = [...(await sources())].filter(([, text]) => code.test(text));
    const declared = features.filter((feature) =>
      feature.socketEvents.some((name) => name === event),
    );
    expect(declared.map(({ name }) => name).toSorted()).toEqual(
      publishers.map(([name]) => name).toSorted(),
    );
    expect(declared.length).toBeGreaterThan(0);
  },
);
