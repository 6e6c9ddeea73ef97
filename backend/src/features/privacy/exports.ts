import type { Actor } from '../../access/index.ts';
import type { DataExport, DataExportAddress } from '../../contract/privacy.ts';
import { notFound } from '../../errors.ts';
import { SWEEP_AFTER_MS } from '../../jobs/durable.ts';
import type { ExportRecord } from './export-model.ts';
import { exportPath, presentExport } from './exporting.ts';
import type { PrivacyFeature } from './feature.ts';

/** Lifetime of a download URL, during which an interrupted download can be resumed. */
const DOWNLOAD_SECONDS = 3_600;

type User = Pick<Actor, 'userId'>;

/**
 * The export of a user.
 * @returns null when there is none, or it has expired
 */
export async function findExport(
  { exports, now }: Pick<PrivacyFeature, 'exports' | 'now'>,
  { userId }: User,
): Promise<DataExport | null> {
  const record = await exports.find(userId);
  return record && isThere(record, now()) ? presentExport(record) : null;
}

/** Begins an export and erases the former one; while one is under way, returns it. */
export async function requestExport(
  { exports, exportQueue, objects, bus, now, newExportId }: PrivacyFeature,
  { userId: ownerId }: User,
): Promise<DataExport> {
  const former = await exports.find(ownerId);
  if (former?.state === 'queued' || former?.state === 'running') return presentExport(former);
  // Removed before the record is replaced: nothing would find the object afterwards.
  if (former) await objects.remove(exportPath(former));
  const key = { ownerId, exportId: newExportId() };
  const at = now();
  const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
  const begun = await exports.begin(key, { formerId: former?.exportId, now: at, dueAt });
  if (!begun) {
    const underway = await exports.find(ownerId);
    if (!underway) throw notFound('export');
    return presentExport(underway);
  }
  await exportQueue.enqueue(key);
  const presented = presentExport(begun);
  await bus.publish(ownerId, 'export:changed', presented);
  return presented;
}

/**
 * A URL that downloads the export, whole or in ranges.
 * @throws AppError not_found
 */
export async function exportAddress(
  { exports, objects, now }: Pick<PrivacyFeature, 'exports' | 'objects' | 'now'>,
  { userId }: User,
): Promise<DataExportAddress> {
  const record = await exports.find(userId);
  if (record?.state !== 'ready' || !isThere(record, now())) throw notFound('export');
  const date = record.requestedAt.toISOString().slice(0, 10);
  const { url } = await objects.signGet(exportPath(record), {
    type: 'application/zip',
    disposition: `attachment; filename="stolas-${date}.zip"`,
    expiresInSeconds: DOWNLOAD_SECONDS,
  });
  return { url, expiresInSeconds: DOWNLOAD_SECONDS };
}

const isThere = ({ expiresAt }: ExportRecord, now: Date) => !expiresAt || expiresAt > now;
