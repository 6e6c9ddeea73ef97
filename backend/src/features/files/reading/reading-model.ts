import type { FileKind, FileProblem, FileProblemCode, Unread } from '../../../contract/files.ts';
import { type Change, createTaskStore } from '../../../jobs/durable-model.ts';
import { type FileDocument, type FileModel, filesIn, toFileRecord } from '../library/file-model.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import type { ReadingJob } from './lanes.ts';

/** The stored fields of a file whose text was read. */
export type ReadingResult = Pick<
  FileRecord,
  'type' | 'kind' | 'truncated' | 'hasThumbnail' | 'unread'
> & {
  pages: number;
  textBytes: number;
};

/** The problems of a reading that used all its time or memory. */
const COSTLY: FileProblemCode[] = ['timed_out', 'too_complex'];
const UNFINISHED = ['waiting', 'reading'];

const owned = ({ id, ownerId }: FileKey) => ({ _id: id, ownerId });

/** The reading of files. */
export const createReadingStore = (model: FileModel) => ({
  tasks: createTaskStore<ReadingJob, FileDocument, FileRecord>(model, {
    path: 'reading',
    names: { attempt: 'tries', failures: 'faults' },
    key: ({ fileId, ownerId }) => ({ _id: fileId, ownerId }),
    pending: { state: { $in: UNFINISHED } },
    keysOf: ({ _id, ownerId }) => [{ fileId: String(_id), ownerId: String(ownerId) }],
    toDoc: toFileRecord,
  }),

  /** Queues a failed file to be read again; only once when its reading was costly. */
  retryFailed: (key: FileKey, { dueAt }: { dueAt: Date }): Promise<FileRecord | null> =>
    filesIn(model).update(
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

  find: (key: FileKey): Promise<FileRecord | null> => filesIn(model).findOne(owned(key)),

  /** The number of files that are neither ready nor failed, and of those of `kinds` without text as long as it is recognised. */
  countUnfinished: ({
    ownerId,
    fileIds,
    kinds,
  }: {
    ownerId: string;
    fileIds: readonly string[];
    kinds: readonly FileKind[];
  }) =>
    model.countDocuments({
      _id: { $in: fileIds },
      ownerId,
      $or: [
        { state: { $in: ['storing', ...UNFINISHED] } },
        { 'recognition.isPending': true, textBytes: 0, kind: { $in: kinds } },
      ],
    }),
});

/** Changes of a file while it is read: no progress or problem of an attempt stays in the next state. */
const withoutProgress = { $unset: { progress: 1 } };
export const startedReading: Change = {
  $set: { state: 'reading' },
  $unset: { progress: 1, problem: 1 },
};
export const waitingAgain: Change = { $set: { state: 'waiting' }, ...withoutProgress };
export const progressed = (progress: FileRecord['progress']): Change => ({ $set: { progress } });
export const ready = (result: ReadingResult, recognition?: Change): Change => ({
  $set: { state: 'ready', ...result, ...recognition?.$set },
  $unset: { progress: 1, recognised: 1, replaced: 1, ...(!result.unread && { unread: 1 }) },
});
/** The file cannot be read; with `pages` it can still be viewed. */
export const unreadable = (result: {
  problem: FileProblem;
  hasThumbnail: boolean;
  pages?: number;
  unread?: Unread[];
}): Change => ({
  $set: { state: 'failed', ...result },
  $unset: { progress: 1, recognised: 1, replaced: 1 },
});
