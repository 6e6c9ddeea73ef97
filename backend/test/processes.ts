// Real processes for tests: started from a fresh build on free ports, killed by any signal, always cleaned up.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findRedis } from '../embedded/redis/find.ts';
import { startRedis as startRedisServer } from '../embedded/redis/server.ts';
import { startNodeChild } from '../embedded/run/node-child.ts';
import type { Environment } from '../embedded/run/plan.ts';
import { freePort } from '../embedded/run/ports.ts';
import { projectRoot } from '../embedded/run/root.ts';
import type { Ending, Running } from '../embedded/run/running.ts';
import { atEnd } from './at-end.ts';
import { PRODUCT } from './database-proxy.ts';

/** A process under test. It ends with the test file, in any state. */
export type TestProcess = {
  readonly pid: number;
  /** Its port, which it keeps over `restart`. */
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Its whole output so far. */
  output(): string;
  /** Sends any signal (SIGKILL, SIGSTOP, SIGCONT, SIGTERM …) and returns at once. */
  signal(signal: NodeJS.Signals): void;
  /** Kills it (by default with SIGKILL) and waits until it has ended. */
  kill(signal?: NodeJS.Signals): Promise<Ending>;
  /** Ends the rest of it and starts it again on the same port and data, waiting until it serves. */
  restart(): Promise<void>;
};

/**
 * Starts a process of the product ('web', 'worker') or an embedded one ('embedded-mongo' …) with `env` on top of this process's environment
 * and waits until it announces that it is ready. `PORT` is a free one unless `env` has one; `folder` has a separate build.
 */
export async function startProcess(
  name: string,
  options: { env?: Environment; args?: string[]; folder?: string | undefined } = {},
): Promise<TestProcess> {
  const { STOLAS_TEST_PRODUCT = '', STOLAS_TEST_EMBEDDED = '' } = process.env;
  const built = name.startsWith('embedded-') ? STOLAS_TEST_EMBEDDED : STOLAS_TEST_PRODUCT;
  const script = path.join(options.folder ?? built, `${name}.js`);
  if (!existsSync(script))
    throw new Error(`${name} could not be built; see the first lines of this run.`);
  const port = Number(options.env?.PORT ?? (await freePort()));
  const env = { ...options.env, ...databaseOf(options.env), PORT: String(port) };
  return manage(port, (output) =>
    startNodeChild({
      name,
      script,
      args: options.args ?? [],
      env,
      output,
    }),
  );
}

/** The address of the database with a name by which `database-watch.ts` tells these processes from tests. */
function databaseOf({ MONGODB_URI = process.env.MONGODB_URI }: Environment = {}): Environment {
  if (!MONGODB_URI || !URL.canParse(MONGODB_URI)) return {};
  const address = new URL(MONGODB_URI);
  address.searchParams.set('appName', PRODUCT);
  return { MONGODB_URI: address.toString() };
}

/** The Redis server of this machine. */
export const redisProgram = () => findRedis(path.join(projectRoot(), '.cache'));

type RedisSettings = Record<string, string>;

/** A separate Redis for a test to kill, freeze or empty; `url` is a redis:// address. Settings may depend on its port. */
export async function startRedis(
  given: RedisSettings | ((port: number) => RedisSettings) = {},
): Promise<TestProcess> {
  const [dir, program] = await Promise.all([temporaryFolder(), redisProgram()]);
  for (let attempts = 1; ; attempts += 1) {
    const port = await freePort();
    const settings = typeof given === 'function' ? given(port) : given;
    try {
      const redis = await manage(port, (output) =>
        startRedisServer({ program, dir, port, settings, output }),
      );
      return Object.defineProperty(redis, 'url', { value: `redis://127.0.0.1:${port}` });
    } catch (error) {
      // A service of another test file has restarted on its port meanwhile.
      if (attempts === 3 || !/Address already in use/.test(String(error))) throw error;
    }
  }
}

/** A database name that no other test uses, on the server of this run: isolation without a separate server. */
export function ownDatabase(uri: string = process.env.MONGODB_URI ?? ''): string {
  const address = new URL(uri);
  address.pathname = `/test-${randomUUID()}`;
  return address.toString();
}

/** A folder that is removed at the end of the test file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a test process of `start`, which each restart calls again. */
export async function manage(
  port: number,
  start: (output: (text: string) => void) => Running,
): Promise<TestProcess> {
  let written = '';
  const output = (text: string) => {
    written += text;
  };
  let running = start(output);
  atEnd(() => end(running, 'SIGKILL'));
  await running.ready;
  return {
    get pid() {
      return running.pid;
    },
    port,
    url: `http://127.0.0.1:${port}`,
    output: () => written,
    signal: (signal) => running.kill(signal),
    kill: (signal = 'SIGKILL') => end(running, signal),
    restart: async () => {
      await end(running, 'SIGKILL');
      running = start(output);
      await running.ready;
    },
  };
}

function end(running: Running, signal: NodeJS.Signals): Promise<Ending> {
  running.kill(signal);
  return running.ended;
}
