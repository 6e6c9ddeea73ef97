import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { connectMongo, createIndexes } from '../../../db/mongo.ts';
import type { TaskQueue } from '../../../jobs/durable.ts';
import { createLog } from '../../../log.ts';
import type { FileReader, ReadFile } from '../../../reading/index.ts';
import { defineFileModel, type FileDocument, toFileRecord } from '../library/file-model.ts';
import { contentKey, type FileRecord } from '../library/file-record.ts';
import { type ReadingJob, readingJob } from './job.ts';
import { createLocalCopies } from './local-copies.ts';
import { memoryObjects } from './objects.fixture.ts';
import { createReadingStore } from './reading-model.ts';
import { createReadingRunner, type ReadingRunnerDeps } from './runner.ts';
import { createFileTexts } from './text-store.ts';

export const newId = () => randomBytes(12).toString('hex');

export const READ: ReadFile = {
  type: 'application/pdf',
  kind: 'pdf',
  pages: [
    { n: 1, text: 'Owls' },
    { n: 2, text: 'hoot.' },
  ],
  truncated: false,
};

/** A reader that gives the same text for every file, unless a test gives it functions. */
export const fakeReader = (changes: Partial<FileReader> = {}): FileReader => ({
  read: async ({ thumbnailWidth: width }) => ({
    ...READ,
    ...(width && { thumbnail: Buffer.from(`page 1, ${width} pixels`) }),
  }),
  renderPage: async ({ n, width }) => Buffer.from(`page ${n}, ${width} pixels`),
  markPage: async () => [],
  runTask: async () => Buffer.from('{}\n'),
  imageForCard: async () => Buffer.alloc(1),
  imageForModel: async () => ({ type: 'image/png', bytes: Buffer.alloc(1) }),
  ...changes,
});

/** Everything that reads files, on the real database; reader and object store are fakes. */
export async function startReading() {
  const connection = await connectMongo(ownDatabase());
  const model = defineFileModel(connection);
  await createIndexes(connection);
  const readings = createReadingStore(model);
  const objects = memoryObjects();
  const copies = createLocalCopies({ objects });
  const texts = createFileTexts({ objects });
  const published: FileRecord[] = [];
  const publishChange = async (file: FileRecord) => void published.push(file);
  const log = createLog({ level: 'silent', name: 'test' });
  const now = () => new Date();
  afterAll(async () => {
    await copies.close();
    await connection.close();
  });

  const noJobs = async () => undefined;
  const readingQueue: TaskQueue<ReadingJob> = {
    placeOf: ({ fileId }) => ({ queue: readingJob.name, jobId: fileId }),
    ensure: noJobs,
    enqueue: noJobs,
  };
  const deps = {
    readings,
    readingQueue,
    objects,
    copies,
    texts,
    publishChange,
    log,
    now,
    reader: fakeReader(),
    onReady: async () => undefined,
    sleep: async () => undefined,
  };

  /** A file that waits, with its bytes in the store. */
  const insert = async (fields: object = {}) => {
    const doc = await model.create({
      ownerId: newId(),
      name: 'owls.pdf',
      type: 'application/pdf',
      kind: 'pdf',
      size: 5,
      sha256: newId(),
      state: 'waiting',
      createdAt: new Date(),
      ...fields,
    });
    const file = toFileRecord(doc.toObject<FileDocument>());
    objects.stored.set(contentKey(file), Buffer.from('hoots'));
    return { ...file, key: { id: file.id, ownerId: file.ownerId } };
  };

  return {
    ...deps,
    model,
    published,
    insert,
    runner: (changes: Partial<ReadingRunnerDeps> = {}) =>
      createReadingRunner({ ...deps, ...changes }),
    stored: async (id: string) =>
      (await model.findById(id).lean<FileDocument>()) ?? Promise.reject(new Error('No file')),
    remove: async ({ id, ownerId }: { id: string; ownerId: string }) => {
      await model.deleteOne({ _id: id });
      await objects.removeAll(`users/${ownerId}/files/${id}/`);
    },
    keysOf: ({ ownerId }: { ownerId: string }) =>
      [...objects.stored.keys()].filter((key) => key.startsWith(`users/${ownerId}/`)),
    statesOf: (id: string) => published.filter((file) => file.id === id).map(({ state }) => state),
  };
}
