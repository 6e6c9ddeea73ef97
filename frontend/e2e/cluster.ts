import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import getPort from 'get-port';
import { expect } from 'vitest';
import { projectRoot } from './product.ts';

type Settings = Record<string, string | undefined>;

/** Each kind of process has two, at these places. */
const PLACES = [0, 1];
const READY = /^ready/m;

/** Two web and two worker processes of the project's build behind HAProxy, with services of their own. */
export async function startCluster(settings: Settings) {
  const root = projectRoot();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-cluster-'));
  const proxyPort = await getPort();
  const webPorts = [await getPort(), await getPort()];
  const url = `http://127.0.0.1:${proxyPort}`;
  const given = { NODE_ENV: 'development', DATA_DIR: dataDir, PLANS: 'off', ...settings };
  const args = [path.join(root, 'scripts/start.mjs'), '--services'];
  const services = await start(process.execPath, args, given, /services are ready/);
  const addresses = [...services.output().matchAll(/^([A-Z0-9_]+)=(.*)$/gm)];
  const env: Settings = {
    ...given,
    ...Object.fromEntries(addresses.map(([, name = '', value = '']) => [name, value])),
    STRIPE_SECRET_KEY: 'sk_test_not_used',
    PUBLIC_URL: url,
    TRUST_PROXY: '1',
    OCR: 'false',
    RATE_LIMITS: 'false',
    GUESTS_PER_HOUR: '1000000',
    LOG_LEVEL: 'warn',
    ASSETS_DIR: path.join(dataDir, 'assets'),
  };
  const startOne = (build: string, kind: string, place: number) =>
    start(
      process.execPath,
      [path.join(build, `${kind}.js`)],
      { ...env, PORT: String(webPorts[place]) },
      READY,
    );
  const build = path.join(root, 'backend/dist');
  const workers = await Promise.all(PLACES.map((place) => startOne(build, 'worker', place)));
  const webs = await Promise.all(PLACES.map((place) => startOne(build, 'web', place)));
  const proxy = await startProxy([proxyPort, ...webPorts]);
  await untilAllServe(url);

  return {
    url,
    /** Replaces each process by one of another build, one after the other, workers first. */
    deploy: async (other: string) => {
      for (const [kind, running] of [['worker', workers] as const, ['web', webs] as const])
        for (const place of PLACES) {
          expect(await running[place]?.stop()).toBe(0);
          running[place] = await startOne(other, kind, place);
          await untilAllServe(url);
        }
    },
    stop: async () => {
      await Promise.all([...webs, ...workers].map((one) => one.stop('SIGKILL')));
      await proxy.stop();
      await services.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const startProxy = ([proxy, web1, web2]: number[]) =>
  start(
    process.env.HAPROXY_PATH ?? 'haproxy',
    ['-db', '-f', path.join(projectRoot(), 'frontend/e2e/haproxy.cfg')],
    {
      LD_LIBRARY_PATH: process.env.HAPROXY_LIBRARIES,
      PROXY_PORT: String(proxy),
      WEB1_PORT: String(web1),
      WEB2_PORT: String(web2),
    },
    // It says nothing: `untilAllServe` waits for it.
    /^/,
  );

/** The proxy sends requests to a new process once it has checked it. */
async function untilAllServe(url: string): Promise<void> {
  const seen = new Set<string | null>();
  await expect
    .poll(async () => {
      const answer = await fetch(`${url}/api/health/live`).catch(() => undefined);
      if (answer?.ok) seen.add(answer.headers.get('x-served-by'));
      return seen.size;
    })
    .toBe(PLACES.length);
}

/** Starts a program, which ends with this process, and waits until its output says that it is ready. */
async function start(command: string, args: string[], env: Settings, ready: RegExp) {
  const child = spawn(command, args, {
    cwd: projectRoot(),
    env: { ...process.env, ...env },
    // Processes of the product end with this one when the channel closes.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  let printed = '';
  child.once('message', () => {
    printed += 'ready\n';
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const isReady = async () => {
    await expect.poll(() => printed).toMatch(ready);
  };
  await Promise.race([
    isReady(),
    ended.then(() => Promise.reject(new Error(`${args.join(' ')} ended:\n${printed}`))),
  ]);
  return {
    output: () => printed,
    /** Asks it to stop, and waits. @returns its exit code */
    stop: async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}
