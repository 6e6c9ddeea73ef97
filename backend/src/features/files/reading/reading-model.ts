import type { FileProblem, FileProblemCode } from '../../../contract/files.ts';
import { type FileDocument, type FileModel, toFileRecord } from '../library/file-model.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';

/** One try at reading a file. `tries` is its fencing token: a try that another one has followed changes nothing. */
export interface ReadingTry extends FileKey {
  tries: number;
}

/** A try that has started. */
export interface StartedTry {
  file: FileRecord;
  tries: number;
  /** Tries whose worker was lost while the file was being read. */
  lost: number;
  /** Tries that a fault of the server has ended. */
  faults: number;
}

/** What is stored of a file whose text was read. */
export type ReadingResult = Pick<FileRecord, 'type' | 'kind' | 'truncated' | 'hasThumbnail'> & {
  pages: number;
  textBytes: number;
};

/**
 * The reading of files. Every change is one update that expects the file's state; `null` or `false` means that the file has
 * another one by now, another try has it, or it was deleted. `dueAt` is the time from which a file that is still `waiting` or
 * `reading` has lost its job or its worker; a worker that reads keeps it ahead.
 */
export type ReadingStore = ReturnType<typeof createReadingStore>;

/** How reading ends that has taken all the time or memory there is. */
const COSTLY: FileProblemCode[] = ['timed_out', 'too_complex'];
const UNFINISHED = ['waiting', 'reading'];

const owned = ({ id, ownerId }: FileKey) => ({ _id: id, ownerId });

const running = ({ tries, ...key }: ReadingTry) => ({
  ...owned(key),
  state: 'reading',
  'reading.tries': tries,
});

export const createReadingStore = (model: FileModel) => ({
  ...startStore(model),
  ...tryStore(model),
  ...queries(model),
});

function change(model: FileModel, filter: object, update: object) {
  return model
    .findOneAndUpdate(filter, update, { returnDocument: 'after' })
    .lean<FileDocument | null>();
}

const changeRecord = async (model: FileModel, filter: object, update: object) => {
  const doc = await change(model, filter, update);
  return doc && toFileRecord(doc);
};

/** Begins tries. */
function startStore(model: FileModel) {
  const start = async (filter: object, dueAt: Date, counts: object): Promise<StartedTry | null> => {
    const doc = await change(model, filter, {
      $set: { state: 'reading', 'reading.dueAt': dueAt },
      $inc: { 'reading.tries': 1, ...counts },
      $unset: { progress: 1, problem: 1 },
    });
    if (!doc) return null;
    const { tries, lost, faults } = doc.reading ?? {};
    return { file: toFileRecord(doc), tries: tries ?? 0, lost: lost ?? 0, faults: faults ?? 0 };
  };
  return {
    /** Starts to read a file that waits. */
    startWaiting: (key: FileKey, { dueAt }: { dueAt: Date }) =>
      start({ ...owned(key), state: 'waiting' }, dueAt, {}),

    /** Starts to read a file whose worker was lost. */
    takeOver: (key: FileKey, { now, dueAt }: { now: Date; dueAt: Date }) => {
      const lost = { ...owned(key), state: 'reading', 'reading.dueAt': { $lte: now } };
      return start(lost, dueAt, { 'reading.lost': 1 });
    },

    /** Lets a file that has failed wait for being read again; once, when reading it takes the longest time. */
    retryFailed: (key: FileKey, { dueAt }: { dueAt: Date }): Promise<FileRecord | null> =>
      changeRecord(
        model,
        {
          ...owned(key),
          state: 'failed',
          $or: [{ 'problem.code': { $nin: COSTLY } }, { 'reading.again': { $ne: true } }],
        },
        {
          $set: {
            state: 'waiting',
            'reading.again': true,
            'reading.dueAt': dueAt,
            'reading.lost': 0,
            'reading.faults': 0,
          },
          $unset: { problem: 1 },
        },
      ),
  };
}

/** What a try changes. */
function tryStore(model: FileModel) {
  return {
    /** Says that the worker lives, and how far it has come. */
    heartbeat: (
      run: ReadingTry,
      { dueAt, progress }: { dueAt: Date; progress?: FileRecord['progress'] },
    ): Promise<FileRecord | null> =>
      changeRecord(model, running(run), {
        $set: { 'reading.dueAt': dueAt, ...(progress && { progress }) },
      }),

    /** The text is stored: the file is ready. */
    end: (run: ReadingTry, result: ReadingResult): Promise<FileRecord | null> =>
      changeRecord(model, running(run), {
        $set: { state: 'ready', ...result },
        $unset: { progress: 1, 'reading.dueAt': 1 },
      }),

    /** The file cannot be read; one that has `pages` can be looked at. */
    fail: (
      run: ReadingTry,
      result: { problem: FileProblem; hasThumbnail: boolean; pages?: number },
    ): Promise<FileRecord | null> =>
      changeRecord(model, running(run), {
        $set: { state: 'failed', ...result },
        $unset: { progress: 1, 'reading.dueAt': 1 },
      }),

    /** Lets the file wait for another try; `fault` counts this one as ended by a fault of the server. */
    putBack: (
      run: ReadingTry,
      { dueAt, fault }: { dueAt: Date; fault: boolean },
    ): Promise<FileRecord | null> =>
      changeRecord(model, running(run), {
        $set: { state: 'waiting', 'reading.dueAt': dueAt },
        $inc: { 'reading.faults': fault ? 1 : 0 },
        $unset: { progress: 1 },
      }),
  };
}

function queries(model: FileModel) {
  return {
    find: async (key: FileKey): Promise<FileRecord | null> => {
      const doc = await model.findOne(owned(key)).lean<FileDocument>();
      return doc && toFileRecord(doc);
    },

    /** When a file that is being read counts as lost; null when it is not being read. */
    dueAt: async (key: FileKey): Promise<Date | null> => {
      const doc = await model
        .findOne({ ...owned(key), state: 'reading' }, { reading: 1 })
        .lean<FileDocument>();
      return doc?.reading?.dueAt ?? null;
    },

    /** How many of the files are not read yet: neither ready nor failed. */
    countUnfinished: ({ ownerId, fileIds }: { ownerId: string; fileIds: readonly string[] }) =>
      model.countDocuments({
        _id: { $in: fileIds },
        ownerId,
        state: { $in: ['storing', ...UNFINISHED] },
      }),

    /** Files that should have been read by now, the longest late first. One that never had a job has no time. */
    findDue: async ({ now, limit }: { now: Date; limit: number }): Promise<FileRecord[]> => {
      const docs = await model
        .find({ state: { $in: UNFINISHED }, 'reading.dueAt': { $not: { $gt: now } } })
        .sort({ 'reading.dueAt': 1 })
        .limit(limit)
        .lean<FileDocument[]>();
      return docs.map(toFileRecord);
    },

    /** Lets one of several sweepers look after a file that waits; it is due again at `dueAt`. */
    leaseWaiting: async (
      key: FileKey,
      { now, dueAt }: { now: Date; dueAt: Date },
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { ...owned(key), state: 'waiting', 'reading.dueAt': { $not: { $gt: now } } },
        { $set: { 'reading.dueAt': dueAt } },
      );
      return matchedCount === 1;
    },
  };
}
