import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build as bundle } from 'esbuild';
import { planServices } from '../embedded/run/plan.ts';
import { projectRoot } from '../embedded/run/root.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { buildForTests } from './build.ts';
import type { DatabaseWatch } from './database-watch.ts';
import { TEST_KEY, WEBHOOK_SECRET } from './stripe.ts';

const REPLICA_SET = 'tests';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Vitest's global set-up: starts the embedded services once per run on a temporary folder and sets the environment variables to reach them
 * (MONGODB_URI, REDIS_URL, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY), so that `parseConfig(process.env)` works in
 * every test. Existing variables stay. A `mongod` on the PATH becomes a replica set. It also builds the processes for test/processes.ts:
 * STOLAS_TEST_PRODUCT and STOLAS_TEST_EMBEDDED name their folders.
 */
export async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-test-'));
  const build = await buildForTests({ label: 'services' });
  process.env.STOLAS_TEST_PRODUCT = build.product;
  process.env.STOLAS_TEST_EMBEDDED = build.embedded;
  // Each test starts its own providers (aimock, startPayments); no test may reach a real one by accident.
  const env = {
    ...process.env,
    OPENAI_API_KEY: 'not-used-in-tests',
    STRIPE_SECRET_KEY: TEST_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
  const cacheDir = path.join(projectRoot(), '.cache');
  const plan = await planServices(env, {
    dataDir,
    cacheDir,
    scripts: build.embedded,
    productUrl: NOWHERE,
    webUrl: NOWHERE,
    replicaSet: REPLICA_SET,
  });
  const running = await Promise.all(plan.services.map((service) => service.start(() => undefined)));
  const stop = async () => {
    await Promise.all(running.map((one) => one.stop({ graceMs: 5_000 })));
    await Promise.all([build.remove(), rm(dataDir, { recursive: true, force: true })]);
  };
  const uri = plan.settings.MONGODB_URI ?? '';
  const starts = (name: string) => plan.services.some((service) => service.name === name);
  try {
    await Promise.all(running.map((one) => one.ready));
    if (starts('mongod')) plan.settings.MONGODB_URI = await initiateReplicaSet(uri);
  } catch (error) {
    await stop();
    throw error;
  }
  const isEmbedded = starts('embedded-mongo');
  if (isEmbedded) process.stdout.write('The tests use no replica set: no mongod is on the PATH.\n');
  // Drivers reach the members of a replica set by themselves.
  const watch = isEmbedded ? await startWatch(uri, build.embedded) : undefined;
  Object.assign(process.env, {
    NODE_ENV: 'test',
    OPENAI_API_KEY: env.OPENAI_API_KEY,
    OPENAI_BASE_URL: `${NOWHERE}/v1`,
    STRIPE_SECRET_KEY: env.STRIPE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: env.STRIPE_WEBHOOK_SECRET,
    STRIPE_API_URL: NOWHERE,
    ...plan.settings,
    ...watch?.env,
  });
  return async () => {
    await watch?.thread.terminate();
    await stop();
  };
}

/** Makes a `mongod` the only member of its set. @returns the address of the set */
async function initiateReplicaSet(uri: string): Promise<string> {
  const { host } = new URL(uri);
  const member = await connectMongo(`${uri}?directConnection=true`);
  const members = [{ _id: 0, host }];
  await member.db?.admin().command({ replSetInitiate: { _id: REPLICA_SET, members } });
  await member.close();
  const address = `${uri}?replicaSet=${REPLICA_SET}`;
  // Waits for its first election.
  await (await connectMongo(address)).close();
  return address;
}

/** Lets all commands to the database at `uri` pass `database-watch.ts`. `folder` is one from which packages are found. */
async function startWatch(uri: string, folder: string) {
  const outfile = path.join(folder, 'database-watch-thread.mjs');
  await bundle({
    entryPoints: [path.join(import.meta.dirname, 'database-watch-thread.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const thread = new Worker(outfile, { workerData: uri });
  const [watch] = (await once(thread, 'message')) as [DatabaseWatch];
  const env = { MONGODB_URI: watch.uri, STOLAS_TEST_DATABASE_REPORT: watch.reportUrl };
  return { thread, env };
}
