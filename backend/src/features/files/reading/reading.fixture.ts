import { randomBytes } from 'node:crypto';
import { atEnd } from '../../../../test/at-end.ts';
import { testCore } from '../../../../test/core.ts';
import type { UserFile } from '../../../contract/files.ts';
import type { FileReader, ReadFile } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { lanesOf } from '../files.fixture.ts';
import { defineFileModel, type FileDocument, toFileRecord } from '../library/file-model.ts';
import { contentKey } from '../library/file-record.ts';
import { memoryObjects } from './objects.fixture.ts';
import { readingTask } from './task.ts';

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

/** A reader that returns the same text for every file, unless a test replaces functions. */
export const fakeReader = (changes: Partial<FileReader> = {}): FileReader => ({
  read: async ({ thumbnailWidth: width }) => ({
    ...READ,
    ...(width && { thumbnail: Buffer.from(`page 1, ${width} pixels`) }),
  }),
  renderPage: async ({ n, width }) => Buffer.from(`page ${n}, ${width} pixels`),
  markPage: async () => [],
  recognisePage: async ({ n }) => `Recognised ${n}`,
  runTask: async () => Buffer.from('{}\n'),
  imageForCard: async () => Buffer.alloc(1),
  imageForModel: async () => ({ type: 'image/png', bytes: Buffer.alloc(1) }),
  ...changes,
});

/** File reading on the real database, with a fake reader, queue and object store. */
export async function startReading() {
  const objects = memoryObjects();
  const core = await testCore({ overrides: { objects: objects as never, reader: fakeReader() } });
  const files: FilesFeature = { ...core.services.files, readingLanes: lanesOf() };
  const model = defineFileModel(core.connection);
  atEnd(files.copies.close);

  /** A waiting file, with its bytes in the store. */
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
    files,
    readings: files.readings,
    texts: files.texts,
    objects,
    model,
    events: core.events,
    insert,
    task: ({ heartbeatMs = 1_000, ...changes }: TaskChanges = {}) =>
      readingTask({ ...files, ...changes }, { heartbeatMs, sleep: async () => undefined }),
    stored: async (id: string) =>
      (await model.findById(id).lean<FileDocument>()) ?? Promise.reject(new Error('No file')),
    remove: async ({ id, ownerId }: { id: string; ownerId: string }) => {
      await model.deleteOne({ _id: id });
      await objects.removeAll(`users/${ownerId}/files/${id}/`);
    },
    keysOf: ({ ownerId }: { ownerId: string }) =>
      [...objects.stored.keys()].filter((key) => key.startsWith(`users/${ownerId}/`)),
    /** The states of a file that were published. */
    statesOf: (id: string) =>
      core.events.flatMap(({ payload }) => {
        const file = payload as UserFile;
        return file.id === id ? [file.state] : [];
      }),
  };
}

type TaskChanges = Partial<FilesFeature> & { heartbeatMs?: number };
