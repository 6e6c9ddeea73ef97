import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import { StartError } from './start-error.ts';

// Below the range from which systems assign ports to outgoing connections: the port is still free when a service restarts on it, and a
// client that continues to reconnect is never assigned the port itself.
const FIRST = 20_000;
const LAST = 29_999;

/** A free TCP port on this machine that stays free while its service restarts. */
export function freePort(random: () => number = Math.random): Promise<number> {
  // Parallel runs begin at different ports.
  const from = FIRST + Math.floor(random() * (LAST - FIRST));
  return getPort({ port: portNumbers(from, LAST), host: '127.0.0.1' });
}

/** @throws StartError with a solution when `port` is in use (0 is always free). */
export async function requireFreePort(port: number, host: string): Promise<void> {
  // Browsers ask ::1 first for localhost, the printed address; a machine without IPv6 has no other program there.
  const isFreeAtSix = () => host !== '127.0.0.1' || isFree(port, '::1').catch(() => true);
  if ((await isFree(port, host)) && (await isFreeAtSix())) return;
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
