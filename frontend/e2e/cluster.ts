import path from 'node:path';
import getPort from 'get-port';
import { expect } from 'vitest';
import { projectRoot, startChild, startServices } from './product.ts';

/** Each kind of process has two, at these places. */
const PLACES = [0, 1];

/** Two web and two worker processes of the project's build behind HAProxy, with services of their own. */
export async function startCluster(settings: Record<string, string>) {
  const root = projectRoot();
  const proxyPort = await getPort();
  const webPorts = [await getPort(), await getPort()];
  const url = `http://127.0.0.1:${proxyPort}`;
  const given = { NODE_ENV: 'development', PLANS: 'off', ...settings };
  const services = await startServices(given);
  const env = {
    ...given,
    DATA_DIR: services.dataDir,
    ...services.settings,
    STRIPE_SECRET_KEY: 'sk_test_not_used',
    PUBLIC_URL: url,
    TRUST_PROXY: '1',
    OCR: 'false',
    RATE_LIMITS: 'false',
    GUESTS_PER_HOUR: '1000000',
    LOG_LEVEL: 'warn',
    ASSETS_DIR: path.join(services.dataDir, 'assets'),
  };
  const startOne = (build: string, kind: string, place: number) =>
    startChild(process.execPath, [path.join(build, `${kind}.js`)], {
      env: { ...env, PORT: String(webPorts[place]) },
      ready: /^ready/m,
      isOfProduct: true,
    });
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
          expect(await running[place]?.stop('SIGTERM')).toBe(0);
          running[place] = await startOne(other, kind, place);
          await untilAllServe(url);
        }
    },
    stop: async () => {
      await Promise.all([...webs, ...workers].map((one) => one.stop('SIGKILL')));
      await proxy.stop('SIGTERM');
      await services.stop();
    },
  };
}

const startProxy = ([proxy, web1, web2]: number[]) =>
  startChild(
    process.env.HAPROXY_PATH ?? 'haproxy',
    ['-db', '-f', path.join(projectRoot(), 'frontend/e2e/haproxy.cfg')],
    {
      env: {
        LD_LIBRARY_PATH: process.env.HAPROXY_LIBRARIES,
        PROXY_PORT: String(proxy),
        WEB1_PORT: String(web1),
        WEB2_PORT: String(web2),
      },
      // It says nothing: `untilAllServe` waits for it.
      ready: /^/,
    },
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
