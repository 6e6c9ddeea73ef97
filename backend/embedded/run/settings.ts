import type { Environment } from './plan.ts';

/** The settings that the supervisor itself uses. web and worker read and check all of them. */
export type Settings = {
  isProduction: boolean;
  host: string;
  /** Undefined when PORT is no port: the web process reports it. */
  port: number | undefined;
  publicUrl: string | undefined;
  drainSeconds: number;
  /** Whether web and worker run with a debugger: `--inspect`. */
  inspect: boolean;
};

export function readSettings(env: Environment): Settings {
  return {
    isProduction: env.NODE_ENV === 'production',
    host: env.HOST || '127.0.0.1',
    port: wholeNumber(env.PORT || '3000', 65_535),
    publicUrl: env.PUBLIC_URL || undefined,
    drainSeconds: wholeNumber(env.DRAIN_SECONDS || '10', 600) ?? 10,
    inspect: env.INSPECT === 'true',
  };
}

function wholeNumber(text: string, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
}
