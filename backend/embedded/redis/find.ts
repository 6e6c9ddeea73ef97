import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { canUnpackDebian, libraryPath, onPath, unpackDebian } from '../debian.mjs';
import { StartError } from '../run/start-error.ts';

/** A Redis server on this machine and its environment. */
export type RedisProgram = { command: string; env: Record<string, string> };

const INSTALL = `Redis is needed and was not found. Install it and start again:
  Debian, Ubuntu   sudo apt-get install redis-server
  Fedora           sudo dnf install valkey
  macOS            brew install redis
  Windows          run STOLAS inside WSL, or set REDIS_URL
Or set REDIS_URL to a Redis that runs elsewhere.`;

/**
 * Finds a Redis server: on the PATH, unpacked earlier into `cacheDir`, or downloaded there from Debian's archive
 * without root. @throws StartError that says what to install.
 */
export async function findRedis(cacheDir: string): Promise<RedisProgram> {
  const command = onPath('valkey-server') ?? onPath('redis-server');
  if (command) return { command, env: {} };
  const folder = path.join(cacheDir, 'redis');
  const unpacked = path.join(folder, 'usr/bin/redis-server');
  // Libraries that the machine had when the server was unpacked may have been removed since.
  const isUsable = async () => runs(unpacked, await libraryPath(folder));
  if (!(await isUsable())) await fetchRedis(folder, isUsable);
  return { command: unpacked, env: await libraryPath(folder) };
}

const runs = (command: string, env: Record<string, string>): boolean =>
  spawnSync(command, ['--version'], { env: { ...process.env, ...env } }).status === 0;

async function fetchRedis(folder: string, isUsable: () => Promise<boolean>): Promise<void> {
  if (!canUnpackDebian()) throw new StartError(INSTALL);
  try {
    await unpackDebian({ packages: ['redis-server', 'redis-tools'], folder, isUsable });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `${INSTALL}\n(Fetching it from Debian's archive failed: ${reason.trim()})`,
    );
  }
}
