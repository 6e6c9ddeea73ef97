import { mkdirSync } from 'node:fs';
import { startProgram } from '../run/program.ts';
import type { Output, Running } from '../run/running.ts';
import type { RedisProgram } from './find.ts';

/**
 * Starts a Redis server without loss of acknowledged writes: every change is appended to a file, nothing is evicted. Tests add `settings`.
 */
export function startRedis(options: {
  program: RedisProgram;
  dir: string;
  port: number;
  settings?: Record<string, string>;
  output?: Output;
}): Running {
  mkdirSync(options.dir, { recursive: true });
  const settings = {
    bind: '127.0.0.1',
    port: String(options.port),
    dir: options.dir,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    ...options.settings,
  };
  return startProgram({
    name: 'Redis',
    command: options.program.command,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    env: options.program.env,
    readyWhen: /Ready to accept connections/,
    ...(options.output && { output: options.output }),
  });
}
