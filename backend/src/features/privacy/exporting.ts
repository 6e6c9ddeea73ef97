import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DurableTask, durable, type TaskQueue } from '../../jobs/durable.ts';
import { sweepEach } from '../../jobs/sweep-each.ts';
import type { ObjectStore } from '../../objects/index.ts';
import type { Bus } from '../../realtime/bus.ts';
import type { ExportEntry } from '../export-entry.ts';
import { createArchive } from './archive.ts';
import type { ExportKey, ExportRecord, ExportStore } from './export-model.ts';
import { presentExport } from './present.ts';

/** An export is kept for this long. */
export const EXPORT_KEPT_MS = 24 * 60 * 60_000;
/** An export that has lost its worker so often is given up: it may be what ends the worker. */
const MAX_LOST = 3;

export const exportPath = ({ ownerId, exportId }: ExportKey): string =>
  `users/${ownerId}/exports/${exportId}.zip`;

export interface ExportingDeps extends Pick<DurableTask<ExportKey, ExportRecord>, 'now' | 'log'> {
  exports: ExportStore;
  exportQueue: TaskQueue<ExportKey>;
  objects: Pick<ObjectStore, 'writeStream' | 'head' | 'remove'>;
  bus: Pick<Bus, 'publish'>;
  exportUser: (userId: string) => AsyncIterable<ExportEntry>;
}

/** Makes exports. An attempt that is repeated, also beside a frozen one, writes the same object. */
export function createExporting(deps: ExportingDeps) {
  const { exports, exportQueue, objects, bus, log, now, exportUser } = deps;
  const expiresAt = () => new Date(now().getTime() + EXPORT_KEPT_MS);
  const publish = (record: ExportRecord) =>
    bus.publish(record.ownerId, 'export:changed', presentExport(record));

  return durable<ExportKey, ExportRecord>({
    tasks: exports.tasks,
    queue: exportQueue,
    retries: 0,
    retryMs: () => 0,
    maxLost: MAX_LOST,
    starting: () => ({ $set: { state: 'running' } }),
    givenUp: () => ({ $set: { state: 'failed', expiresAt: expiresAt() } }),
    onProgress: publish,
    onEnd: publish,
    // The account was erased meanwhile, or another export has followed: nothing may be left.
    onGone: (key) => objects.remove(exportPath(key)),
    now,
    log,
    run: async ({ key, signal, report }) => {
      const entries: ExportEntry[] = [];
      for await (const entry of exportUser(key.ownerId)) entries.push(entry);
      const total = entries.length;
      const body = new PassThrough();
      report({ $set: { done: 0, total } });
      const { stream } = createArchive(entries, (done) => report({ $set: { done, total } }));
      await Promise.all([
        pipeline(stream, body, { signal }),
        objects.writeStream(exportPath(key), body, { type: 'application/zip' }),
      ]);
      const { size = 0 } = (await objects.head(exportPath(key))) ?? {};
      return {
        end: { $set: { state: 'ready', done: total, total, size, expiresAt: expiresAt() } },
      };
    },
  });
}

/** Erases exports that have expired. */
export const createExpirySweep =
  ({
    exports,
    objects,
    now,
  }: Pick<ExportingDeps, 'exports' | 'now'> & {
    objects: Pick<ObjectStore, 'remove'>;
  }) =>
  async (): Promise<void> =>
    sweepEach(await exports.findExpired(now()), async (key) => {
      // The object first: a record without an object is swept again, the other way round nothing would find it.
      await objects.remove(exportPath(key));
      await exports.remove(key);
    });
