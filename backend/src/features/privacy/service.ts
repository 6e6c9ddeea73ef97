import type { Actor } from '../../access/index.ts';
import type { DataExport, DataExportAddress } from '../../contract/privacy.ts';
import { notFound } from '../../errors.ts';
import { SWEEP_AFTER_MS, type TaskQueue } from '../../jobs/durable.ts';
import type { ObjectStore } from '../../objects/index.ts';
import type { Bus } from '../../realtime/bus.ts';
import type { ExportKey, ExportStore } from './export-model.ts';
import { exportPath } from './exporting.ts';
import { presentExport } from './present.ts';

/** The address of a download lives for an hour, in which a broken one can be resumed. */
const DOWNLOAD_SECONDS = 3_600;

interface ServiceDeps {
  exports: ExportStore;
  objects: Pick<ObjectStore, 'signGet' | 'remove'>;
  exportQueue: Pick<TaskQueue<ExportKey>, 'enqueue'>;
  bus: Pick<Bus, 'publish'>;
  now: () => Date;
  newId: () => string;
}

/** Exports of what is kept of a user. */
export type PrivacyService = ReturnType<typeof createPrivacyService>;

export function createPrivacyService(deps: ServiceDeps) {
  const { exports, objects, exportQueue, bus, now, newId } = deps;
  const isThere = (record: { expiresAt?: Date | null }) =>
    !record.expiresAt || record.expiresAt > now();

  return {
    /** @returns null when there is none, or it has expired */
    find: async ({ userId }: Pick<Actor, 'userId'>): Promise<DataExport | null> => {
      const record = await exports.find(userId);
      return record && isThere(record) ? presentExport(record) : null;
    },

    /** Begins an export and erases the former one; while one is underway, it is that one. */
    request: async ({ userId: ownerId }: Pick<Actor, 'userId'>): Promise<DataExport> => {
      const former = await exports.find(ownerId);
      // Before the record is replaced: nothing would find the object afterwards.
      if (former?.state === 'ready' || former?.state === 'failed')
        await objects.remove(exportPath(former));
      const key = { ownerId, exportId: newId() };
      const at = now();
      const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
      const begun = await exports.begin(key, { now: at, dueAt });
      if (!begun) {
        const underway = await exports.find(ownerId);
        if (!underway) throw notFound('export');
        return presentExport(underway);
      }
      await exportQueue.enqueue(key);
      const presented = presentExport(begun);
      await bus.publish(ownerId, 'export:changed', presented);
      return presented;
    },

    /** An address that downloads the export, whole or in ranges. @throws AppError not_found */
    address: async ({ userId }: Pick<Actor, 'userId'>): Promise<DataExportAddress> => {
      const record = await exports.find(userId);
      if (record?.state !== 'ready' || !isThere(record)) throw notFound('export');
      const date = record.requestedAt.toISOString().slice(0, 10);
      const { url } = await objects.signGet(exportPath(record), {
        type: 'application/zip',
        disposition: `attachment; filename="stolas-${date}.zip"`,
        expiresInSeconds: DOWNLOAD_SECONDS,
      });
      return { url, expiresInSeconds: DOWNLOAD_SECONDS };
    },

    removeAllOf: exports.removeAllOf,
  };
}
