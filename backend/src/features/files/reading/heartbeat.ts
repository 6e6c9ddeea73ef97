import type { Log } from '../../../log.ts';
import type { FileRecord } from '../library/file-record.ts';
import { HEARTBEAT_MS, LEASE_MS } from './job.ts';
import type { ReadingStore, ReadingTry } from './reading-model.ts';

interface HeartbeatDeps {
  readings: Pick<ReadingStore, 'heartbeat'>;
  publishChange: (file: FileRecord) => Promise<void>;
  now: () => Date;
  log: Log;
  heartbeatMs?: number;
}

/**
 * Keeps a try's lease, and stores and publishes its progress. `onLost` is called when another try has the file or the file was
 * deleted.
 */
export function startHeartbeat(
  run: ReadingTry,
  { onLost, ...deps }: HeartbeatDeps & { onLost: () => void },
) {
  const { readings, publishChange, now, log, heartbeatMs = HEARTBEAT_MS } = deps;
  let progress: FileRecord['progress'];
  let stored: FileRecord['progress'];
  let beating: Promise<void> | undefined;

  const beat = async () => {
    const changed = progress === stored ? {} : { progress };
    const dueAt = new Date(now().getTime() + LEASE_MS);
    const file = await readings.heartbeat(run, { dueAt, ...changed });
    if (!file) return onLost();
    if (!changed.progress) return;
    stored = changed.progress;
    await publishChange(file);
  };
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) => log.warn({ err: error, ...run }, 'a heartbeat failed'))
      .finally(() => {
        beating = undefined;
      });
  }, heartbeatMs);

  return {
    onProgress: (latest: { done: number; total: number }): void => {
      progress = latest;
    },
    /** Resolves when nothing is published any more. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await beating;
    },
  };
}
