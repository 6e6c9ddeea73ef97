import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './start-error.ts';

const EVERY_MS = 100;
const LIMIT_MS = 180_000;

/**
 * Waits until the web process reports that a request through all services would succeed.
 * @throws StartError with the last answer when that takes more than three minutes.
 */
export async function untilReady(address: string, stopped: AbortSignal): Promise<void> {
  const until = Date.now() + LIMIT_MS;
  let last = '';
  while (Date.now() < until && !stopped.aborted) {
    try {
      const answer = await fetch(`${address}/api/health/ready`, {
        signal: AbortSignal.timeout(5_000),
      });
      if (answer.ok) return;
      last = (await answer.text()).slice(0, 300);
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(EVERY_MS);
  }
  if (!stopped.aborted)
    throw new StartError(`STOLAS did not become ready within three minutes: ${last}`);
}
