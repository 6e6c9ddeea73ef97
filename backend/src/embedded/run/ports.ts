import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

// Below the range from which systems give ports to outgoing connections: what we give away here is still free
// when a service restarts on it, and a client that keeps knocking can never be given the port itself.
const FIRST = 20_000;
const COUNT = 10_000;

/** A TCP port on this machine that nothing listens on. */
export async function freePort(random: () => number = Math.random): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = FIRST + Math.floor(random() * COUNT);
    if (await isFree(port, '127.0.0.1')) return port;
  }
  throw new StartError('No free port was found on this machine.');
}

/** @throws StartError with the way out when something listens on `port` (0 is always free). */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (await isFree(port, host)) return;
  throw new StartError(
    `Port ${port} is in use. Stop what uses it, or choose another one: PORT=${port + 1} npm start`,
  );
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else if (error.code === 'EACCES')
        reject(
          new StartError(
            `Port ${port} needs more rights than this user has. Choose one above 1024.`,
          ),
        );
      else
        reject(
          new StartError(`Nothing can listen on ${host}:${port} (${error.code ?? error.message}).`),
        );
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
