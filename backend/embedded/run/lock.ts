import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from './start-error.ts';

/**
 * Creates `folder` and locks it for this process, until `release` or the end of the process. The lock is a listening socket named after the
 * folder, so the system releases it, even after kill -9.
 * @throws StartError when another process holds it, and when it cannot be written.
 */
export async function lockFolder(folder: string): Promise<{ path: string; release(): void }> {
  const real = makeFolder(folder);
  const address = socketAddress(createHash('sha256').update(real).digest('hex').slice(0, 32));
  const server = (await listen(address)) ?? (await takeOver(address));
  if (!server) {
    throw new StartError(
      `The data folder ${real} is in use by another STOLAS that runs. Stop that one, or choose another folder: DATA_DIR=./data2 npm start`,
    );
  }
  server.unref();
  return { path: real, release: () => server.close() };
}

function makeFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return realpathSync(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The data folder cannot be used (${reason}). Choose another one: DATA_DIR=… npm start`,
    );
  }
}

function socketAddress(id: string): string {
  if (process.platform === 'linux') return `\0stolas-${id}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\stolas-${id}`;
  return path.join(tmpdir(), `stolas-${id}.sock`);
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

/** Where the socket is a file, a killed process leaves it: it does not answer, so it may be removed. */
async function takeOver(address: string): Promise<Server | undefined> {
  if (!path.isAbsolute(address) || process.platform === 'win32') return undefined;
  const answered = await new Promise<boolean>((resolve) => {
    const probe = connect(address, () => resolve(true));
    probe.once('error', () => resolve(false)).once('connect', () => probe.destroy());
  });
  if (answered) return undefined;
  rmSync(address, { force: true });
  return listen(address);
}
