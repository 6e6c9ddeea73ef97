import type { FileProblemCode } from '../../../contract/files.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import type { Log } from '../../../log.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import { fileProblem } from '../../../reading/index.ts';
import { type FileRecord, filePrefix } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import { createExtract, type ExtractDeps, type Extracted, isFault, type Shown } from './extract.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LEASE_MS, type ReadingJob, SWEEP_AFTER_MS } from './job.ts';
import type { ReadingStore, ReadingTry, StartedTry } from './reading-model.ts';

/** A file that has lost so many workers is not tried again. */
const MAX_LOST = 2;
/** A file is given up after so many faults of the reader. */
const MAX_FAULTS = 3;
/** The next try follows after 1 s, then after doubled times up to this. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** While the database is unreachable, the end of a try is stored later, for half a minute. */
const END_TRIES = 15;
const END_PAUSE_MS = 2_000;
/** A job that is delivered again while its worker runs is delayed at least this long. */
const LEAST_DELAY_MS = 500;

export interface ReadingRunnerDeps extends ExtractDeps {
  objects: Pick<ObjectStore, 'write' | 'removeAll'>;
  readings: ReadingStore;
  /** Tells the owner's tabs that a file has changed. */
  publishChange: (file: FileRecord) => Promise<void>;
  /** What follows when the text of a file is there; does not reject. */
  onReady: (file: FileKey) => Promise<void>;
  now: () => Date;
  sleep: (ms: number) => Promise<void>;
  log: Log;
  heartbeatMs?: number;
}

/** Another try has the file, or it was deleted. */
class LostFileError extends Error {
  override name = 'LostFileError';
}

/** Reads files: runs the jobs of a worker. */
export function createReadingRunner(deps: ReadingRunnerDeps) {
  const { readings, objects, publishChange, now, log } = deps;
  const extract = createExtract(deps);
  const stopping = new AbortController();
  const after = (ms: number) => new Date(now().getTime() + ms);

  /** A file that is deleted while it is read may have got objects after the others were removed. */
  const removeIfDeleted = async (key: FileKey) => {
    if (!(await readings.find(key))) await objects.removeAll(filePrefix(key));
  };

  /** Stores how a try has ended, and publishes it. */
  const end = async (run: ReadingTry, change: () => Promise<FileRecord | null>) => {
    for (let tries = 1; ; tries += 1) {
      try {
        // When an answer of the database was lost, the change is made and expects another state now.
        const file = (await change()) ?? (await readings.find(run));
        return await (file ? publishChange(file) : objects.removeAll(filePrefix(run)));
      } catch (error) {
        // After the last try, another worker takes the file over.
        if (tries === END_TRIES) throw error;
        log.warn({ err: error, fileId: run.id }, 'the end of a reading could not be stored yet');
        await deps.sleep(END_PAUSE_MS);
      }
    }
  };
  const fail = (
    run: ReadingTry,
    code: FileProblemCode,
    shown: Partial<Shown> & { hasThumbnail: boolean } = { hasThumbnail: false },
  ) => end(run, () => readings.fail(run, { problem: fileProblem(code), ...shown }));

  const store = async (run: ReadingTry, extracted: Extracted) => {
    if ('unreadable' in extracted) return fail(run, extracted.unreadable, extracted.shown);
    await end(run, () => readings.end(run, extracted.result));
    return deps.onReady(run);
  };

  const retry = async (run: ReadingTry, { faults }: StartedTry, error: unknown) => {
    const isReleased = stopping.signal.aborted;
    const fault = !isReleased && isFault(error);
    if (fault && faults + 1 >= MAX_FAULTS) {
      log.error({ err: error, fileId: run.id }, 'a file could not be read');
      return fail(run, 'internal');
    }
    const delayMs = isReleased
      ? 0
      : Math.min(FIRST_RETRY_MS * 2 ** (run.tries - 1), LONGEST_RETRY_MS);
    if (!isReleased)
      log.warn({ err: error, fileId: run.id, delayMs }, 'a file is read again later');
    await end(run, () => readings.putBack(run, { dueAt: after(delayMs + SWEEP_AFTER_MS), fault }));
    throw new RunLaterError(delayMs);
  };

  const read = async (started: StartedTry) => {
    const { file, tries } = started;
    const run = { id: file.id, ownerId: file.ownerId, tries };
    if (started.lost >= MAX_LOST) return fail(run, 'too_complex');
    await publishChange(file);
    const lost = new AbortController();
    const onLost = () => lost.abort(new LostFileError('Another try has the file.'));
    const heartbeat = startHeartbeat(run, { ...deps, onLost });
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    let extracted: Extracted;
    try {
      extracted = await extract(file, { onProgress: heartbeat.onProgress, signal });
    } catch (error) {
      await heartbeat.stop();
      return lost.signal.aborted ? removeIfDeleted(run) : retry(run, started, error);
    }
    await heartbeat.stop();
    await store(run, extracted);
  };

  /** The file does not wait: it has ended, was deleted, or its worker is alive. */
  const leaveAlone = async (key: FileKey) => {
    const dueAt = await readings.dueAt(key);
    if (!dueAt) return removeIfDeleted(key);
    throw new RunLaterError(Math.max(LEAST_DELAY_MS, dueAt.getTime() - now().getTime()));
  };

  return {
    /**
     * Runs one job. Nothing happens when the file was read already or does not exist any more.
     * @throws RunLaterError when it is tried again, and while another worker reads it
     */
    run: async ({ fileId: id, ownerId }: ReadingJob): Promise<void> => {
      const key = { id, ownerId };
      const dueAt = after(LEASE_MS);
      const started =
        (await readings.startWaiting(key, { dueAt })) ??
        (await readings.takeOver(key, { now: now(), dueAt }));
      return started ? read(started) : leaveAlone(key);
    },

    /** Ends every reading; other workers begin again. */
    releaseAll: (): void => stopping.abort(new Error('The worker stops.')),
  };
}
