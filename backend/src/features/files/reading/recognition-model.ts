import type { FileProblem } from '../../../contract/files.ts';
import { type Change, createTaskStore } from '../../../jobs/durable-model.ts';
import { type FileDocument, type FileModel, toFileRecord } from '../library/file-model.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { ReadingJob } from './lanes.ts';

/** The recognition of text in the pictures of files that are `ready`. */
export const createRecognitionTasks = (model: FileModel) =>
  createTaskStore<ReadingJob, FileDocument, FileRecord>(model, {
    path: 'recognition',
    key: ({ fileId, ownerId }) => ({ _id: fileId, ownerId }),
    pending: { 'recognition.isPending': true },
    keysOf: ({ _id, ownerId }) => [{ fileId: String(_id), ownerId: String(ownerId) }],
    toDoc: toFileRecord,
  });

/** The stored fields of a file whose text has changed by recognition. */
export type NewText = Pick<FileRecord, 'textBytes' | 'unread'> & { recognised: number };

/** A file was read that has `total` pages to recognise. */
export const toBeRecognised = ({ total, dueAt }: { total: number; dueAt: Date }): Change => ({
  $set: {
    'recognition.isPending': true,
    'recognition.total': total,
    'recognition.done': 0,
    'recognition.lost': 0,
    'recognition.failures': 0,
    'recognition.dueAt': dueAt,
  },
});

export const recognisedSoFar = (done: number): Change => ({ $set: { 'recognition.done': done } });

/** The new text is stored and replaces the one of `file`; more pages follow. */
export const textReplaced = (
  { recognised: replaced = 0 }: FileRecord,
  { unread, ...text }: NewText,
): Change => ({
  $set: {
    ...text,
    replaced,
    ...(unread && { unread }),
    'recognition.done': text.recognised,
    'recognition.lost': 0,
  },
  ...(!unread && { $unset: { unread: 1 } }),
});

/** No page is recognised any more; with a problem, the file has no text. */
export const recognitionEnded = (change: Change = {}, problem?: FileProblem): Change => ({
  $set: { ...change.$set, ...(problem && { state: 'failed', problem }) },
  $unset: { ...change.$unset, 'recognition.isPending': 1 },
});
