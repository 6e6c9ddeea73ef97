import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processNames } from '../build.mjs';
import { planServices } from '../src/embedded/run/plan.ts';
import { projectRoot } from '../src/embedded/run/root.ts';
import { buildForTests } from './build.ts';

/**
 * Vitest's global set-up: starts the embedded services once per run on a folder of their own and puts what leads to
 * them into the environment (MONGODB_URI, REDIS_URL, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY),
 * so that `parseConfig(process.env)` works in every test. What is set already is used as it is. The processes for
 * test/processes.ts are built here too; STOLAS_TEST_SCRIPTS names their folder.
 */
export async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-test-'));
  const builds = await buildAll();
  process.env.STOLAS_TEST_SCRIPTS = builds.processes;
  // The provider is each test's own affair (aimock); no test may reach a real one by accident.
  const env = { ...process.env, OPENAI_API_KEY: 'not-used-in-tests' };
  const cacheDir = path.join(projectRoot(), '.cache');
  const plan = await planServices(env, { dataDir, cacheDir, scripts: builds.services });
  const running = await Promise.all(plan.services.map((service) => service.start(() => undefined)));
  const stop = async () => {
    await Promise.all(running.map((one) => one.stop({ graceMs: 5_000 })));
    await Promise.all([builds.remove(), rm(dataDir, { recursive: true, force: true })]);
  };
  try {
    await Promise.all(running.map((one) => one.ready));
  } catch (error) {
    await stop();
    throw error;
  }
  Object.assign(process.env, {
    NODE_ENV: 'test',
    OPENAI_API_KEY: env.OPENAI_API_KEY,
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    ...plan.settings,
  });
  return stop;
}

/** Two builds: a mistake in a half-written product must not keep the tests of the services from running. */
async function buildAll() {
  const services = await buildForTests({
    label: 'services',
    names: processNames().filter((name) => name.startsWith('embedded-')),
  });
  const processes = await buildForTests({ label: 'processes' }).catch((error: unknown) => {
    process.stderr.write(`The processes cannot be built: ${String(error)}\n`);
    return undefined;
  });
  return {
    services: services.scripts,
    processes: processes?.scripts ?? '',
    remove: () => Promise.all([services.remove(), processes?.remove()]),
  };
}
