import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataExport } from '../../contract/privacy.ts';
import { durable } from '../../jobs/durable.ts';
import { sweepEach } from '../../jobs/sweep-each.ts';
import type { WorkerTools } from '../define-feature.ts';
import type { ExportEntry } from '../export-entry.ts';
import { createArchive } from './archive.ts';
import type { ExportKey, ExportRecord } from './export-model.ts';
import type { PrivacyFeature } from './feature.ts';

/** Lifetime of an export. */
export const EXPORT_KEPT_MS = 24 * 60 * 60_000;
/** The number of lost workers after which an export is given up: it may crash its worker. */
const MAX_LOST = 3;

export const exportPath = ({ ownerId, exportId }: ExportKey): string =>
  `users/${ownerId}/exports/${exportId}.zip`;

interface Exporting extends Pick<PrivacyFeature, 'exports' | 'exportQueue' | 'now' | 'log'> {
  objects: Pick<PrivacyFeature['objects'], 'writeStream' | 'head' | 'remove'>;
  bus: Pick<PrivacyFeature['bus'], 'publish'>;
}

/** Makes exports. A repeated attempt, even beside a frozen one, writes the same object. */
export function exportRunner(
  { exports, exportQueue, objects, bus, log, now }: Exporting,
  exportUser: WorkerTools['exportUser'],
) {
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
    // The account was erased meanwhile, or another export has replaced it: nothing may be left.
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
export async function eraseExpired({
  exports,
  objects,
  now,
}: Pick<PrivacyFeature, 'exports' | 'now'> & {
  objects: Pick<PrivacyFeature['objects'], 'remove'>;
}): Promise<void> {
  await sweepEach(await exports.findExpired(now()), async (key) => {
    // The object first: a record without an object is swept again, but nothing would find an object without a record.
    await objects.remove(exportPath(key));
    await exports.remove(key);
  });
}

export const presentExport = (record: ExportRecord): DataExport => ({
  id: record.exportId,
  state: record.state,
  progress: { done: record.done, total: record.total },
  ...(record.size != null && { size: record.size }),
  requestedAt: record.requestedAt.toISOString(),
  ...(record.expiresAt && { expiresAt: record.expiresAt.toISOString() }),
});
