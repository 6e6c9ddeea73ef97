import type { Environment } from './plan.ts';
import { freePort } from './ports.ts';

/** The settings of the supervisor itself. web and worker read and check all settings. */
export type Settings = {
  isProduction: boolean;
  host: string;
  /** A free one when PORT is 0; undefined when PORT is invalid, which the web process reports. */
  port: number | undefined;
  publicUrl: string | undefined;
  /** The time in which web and worker stop by themselves. */
  stopSeconds: number;
  /** How they stop: the settings of web and worker. */
  shutdown: Environment;
  /** Whether web and worker run with a debugger: `--inspect`. */
  inspect: boolean;
  /** The numbers of web and worker processes: `--web` and `--workers`. */
  webs: number;
  workers: number;
};

/** Outside production Ctrl-C is to end the run soon, and no other process takes its tabs. */
const LOCAL_SHUTDOWN = { DRAIN_SECONDS: '10', UNREADY_SECONDS: '0', SOCKET_DRAIN_SECONDS: '0' };
/** The defaults of web and worker (backend/src/config.ts). */
const SHUTDOWN = { DRAIN_SECONDS: '120', UNREADY_SECONDS: '5', SOCKET_DRAIN_SECONDS: '30' };

export async function readSettings(env: Environment): Promise<Settings> {
  const isProduction = env.NODE_ENV === 'production';
  const shutdown = Object.fromEntries(
    Object.entries(isProduction ? SHUTDOWN : LOCAL_SHUTDOWN).map(([name, value]) => [
      name,
      env[name] || value,
    ]),
  );
  const port = wholeNumber(env.PORT || '3000', 65_535);
  return {
    isProduction,
    host: env.HOST || '127.0.0.1',
    port: port === 0 ? await freePort() : port,
    publicUrl: env.PUBLIC_URL || undefined,
    // Web and worker report a value that is no number, and end.
    stopSeconds: Object.values(shutdown).reduce(
      (sum, text) => sum + (wholeNumber(text, 600) ?? 0),
      0,
    ),
    shutdown,
    inspect: env.INSPECT === 'true',
    webs: Number(env.WEB_PROCESSES || 1),
    workers: Number(env.WORKER_PROCESSES || 1),
  };
}

/** The address at which this machine reaches a server that listens on `host`. */
export const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

function wholeNumber(text: string, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
}
