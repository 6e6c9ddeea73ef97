import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ensureQueued, type JobProducer } from '../../jobs/producer.ts';
import type { Log } from '../../log.ts';
import type { ObjectStore } from '../../objects/index.ts';
import type { Bus } from '../../realtime/bus.ts';
import type { ExportEntry } from '../export-entry.ts';
import { sweepEach } from '../../jobs/sweep-each.ts';
import { createArchive } from './archive.ts';
import type { ExportKey, ExportRecord, ExportStore } from './export-model.ts';
import { presentExport } from './present.ts';

/** An export is kept for this long. */
export const EXPORT_KEPT_MS = 24 * 60 * 60_000;
/** Progress is stored and published this often at most. */
const PROGRESS_EVERY_MS = 500;
/** An export that has lost its worker so often is given up: it may be what ends the worker. */
const MAX_LOST = 3;
/** A worker that shows nothing for so long is lost. */
const LOST_AFTER_MS = 2 * 60_000;
/** A worker shows that it goes on, also within a large file. */
const ALIVE_EVERY_MS = 30_000;

export const exportPath = ({ ownerId, exportId }: ExportKey): string =>
  `users/${ownerId}/exports/${exportId}.zip`;

export interface ExportingDeps {
  exports: ExportStore;
  objects: Pick<ObjectStore, 'writeStream' | 'head' | 'remove'>;
  bus: Pick<Bus, 'publish'>;
  log: Pick<Log, 'error' | 'warn'>;
  now: () => Date;
  exportUser: (userId: string) => AsyncIterable<ExportEntry>;
}

/** Another export has followed, or the account is being erased. */
class SupersededError extends Error {
  override name = 'SupersededError';
}

/** Makes exports. A run that is repeated, also beside another one, writes the same object. */
export function createExporting(deps: ExportingDeps) {
  const { exports, objects, bus, log, now, exportUser } = deps;
  const tell = async (record: ExportRecord) =>
    bus.publish(record.ownerId, 'export:changed', presentExport(record));

  const expiry = () => new Date(now().getTime() + EXPORT_KEPT_MS);

  const write = async (key: ExportKey): Promise<void> => {
    const entries: ExportEntry[] = [];
    for await (const entry of exportUser(key.ownerId)) entries.push(entry);
    const total = entries.length;
    let done = 0;
    let toldAt = 0;
    const body = new PassThrough();
    const note = async () => {
      const record = await exports.progress(key, { done, total, now: now() });
      if (!record) throw new SupersededError('The export is not wanted any more.');
      await tell(record);
    };
    await note();
    const noteOrEnd = () => note().catch((error: Error) => body.destroy(error));
    const { stream } = createArchive(entries, (count) => {
      done = count;
      if (now().getTime() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = now().getTime();
      void noteOrEnd();
    });
    const alive = setInterval(() => void noteOrEnd(), ALIVE_EVERY_MS);
    try {
      await Promise.all([
        pipeline(stream, body),
        objects.writeStream(exportPath(key), body, { type: 'application/zip' }),
      ]);
    } finally {
      clearInterval(alive);
    }
  };

  return {
    run: async (key: ExportKey): Promise<void> => {
      const record = await exports.beginRun(key, now());
      if (!record) return;
      let ended: ExportRecord | null = null;
      try {
        if ((record.runs ?? 0) > MAX_LOST)
          throw new Error(`${MAX_LOST} runs have lost their worker.`);
        await write(key);
        const { size = 0 } = (await objects.head(exportPath(key))) ?? {};
        ended = await exports.end(key, { state: 'ready', size, expiresAt: expiry() });
        // The account was erased meanwhile: nothing may be left.
        if (!ended && (await exports.find(key.ownerId))?.exportId !== key.exportId)
          await objects.remove(exportPath(key));
      } catch (error) {
        if (error instanceof SupersededError) return;
        log.error({ err: error, ...key }, 'an export has failed');
        ended = await exports.end(key, { state: 'failed', expiresAt: expiry() });
      }
      if (ended) await tell(ended);
    },
  };
}

/** Enqueues exports whose worker was lost, and erases those that have expired. */
export function createExportSweep({
  exports,
  objects,
  producer,
  now,
}: Pick<ExportingDeps, 'exports' | 'now'> & {
  objects: Pick<ObjectStore, 'remove'>;
  producer: Pick<JobProducer<ExportKey>, 'add' | 'canRun' | 'remove'>;
}) {
  return async (): Promise<void> => {
    const at = now();
    const lost = await exports.findLost(new Date(at.getTime() - LOST_AFTER_MS));
    const enqueue = ({ ownerId, exportId }: ExportKey) =>
      ensureQueued(producer, exportId, () => producer.add(exportId, { ownerId, exportId }));
    const erase = async (key: ExportKey) => {
      // The object first: a record without an object is swept again, the other way round nothing would find it.
      await objects.remove(exportPath(key));
      await exports.remove(key);
    };
    await sweepEach(
      [
        ...lost.map((key) => ({ ...key, work: enqueue })),
        ...(await exports.findExpired(at)).map((key) => ({ ...key, work: erase })),
      ],
      ({ work, ...key }) => work(key),
    );
  };
}
