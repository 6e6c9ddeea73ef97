import type { Environment } from './plan.ts';
import { freePort } from './ports.ts';

/** The settings of the supervisor itself. web and worker read and check all settings. */
export type Settings = {
  isProduction: boolean;
  host: string;
  /** A free one when PORT is 0; undefined when PORT is invalid, which the web process reports. */
  port: number | undefined;
  publicUrl: string | undefined;
  drainSeconds: number;
  /** Whether web and worker run with a debugger: `--inspect`. */
  inspect: boolean;
};

export async function readSettings(env: Environment): Promise<Settings> {
  const port = wholeNumber(env.PORT || '3000', 65_535);
  return {
    isProduction: env.NODE_ENV === 'production',
    host: env.HOST || '127.0.0.1',
    port: port === 0 ? await freePort() : port,
    publicUrl: env.PUBLIC_URL || undefined,
    drainSeconds: wholeNumber(env.DRAIN_SECONDS || '10', 600) ?? 10,
    inspect: env.INSPECT === 'true',
  };
}

/** The address at which this machine reaches a server that listens on `host`. */
export const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

function wholeNumber(text: string, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
}
