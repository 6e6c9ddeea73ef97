import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import type { Actor } from '../../access/index.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { createLog } from '../../log.ts';
import type { ObjectStore } from '../../objects/index.ts';
import { createS3ObjectStore } from '../../objects/s3/index.ts';
import { embeddedStore } from '../../objects/s3/s3.fixture.ts';
import type { Bus } from '../../realtime/bus.ts';
import type { Core } from '../define-feature.ts';
import { bindTo } from './calls.ts';
import { createFilesFeature, defineModels, type FilesFeature, type Others } from './feature.ts';
import { attachUpload } from './library/attach.ts';
import { deleteFile, removeOnlyUsedBy, sweepDeleted, sweepUnused } from './library/deletion.ts';
import { type FileDocument, toFileRecord } from './library/file-model.ts';
import { type FileRecord, uploadKey } from './library/file-record.ts';
import type { Purpose } from './library/plan-limits.ts';
import {
  recountBytes,
  reserveBytes,
  sweepReservations,
  usedBytes,
} from './library/stored-bytes.ts';
import { sweepStoring } from './library/storing-sweep.ts';
import { addUse, releaseConversation, selectForMessage } from './library/uses.ts';

export const newId = () => randomBytes(12).toString('hex');

export const MB = 1024 * 1024;

/** What the user's plan allows; a test changes it. */
export const plan = { uploadBytes: 10 * MB, storageBytes: 100 * MB, subscriptionPlan: 'starter' };

export const actorOf = (userId: string): Actor => ({
  kind: 'session',
  userId,
  isGuest: false,
  sessionId: newId(),
  scopes: ['all'],
});

/** Lets calls of several objects end as in a process that dies: the call with that number and all after it fail. */
export const dyingAt = (call: number) => cutBy((calls) => calls >= call);

/** Lets the call with that number fail alone. */
export const failingAt = (call: number) => cutBy((calls) => calls === call);

function cutBy(isCut: (calls: number) => boolean) {
  let calls = 0;
  let died = false;
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        return async (...parameters: unknown[]) => {
          calls += 1;
          if (isCut(calls)) {
            died = true;
            throw new Error(`The process died before ${String(name)}.`);
          }
          return Reflect.apply(value, object, parameters);
        };
      },
    });
  return { wrap, died: () => died };
}

/** The plan of every user, whose quota no test uses up. */
export const OTHERS: Others = {
  billing: {
    entitlementsOf: async (_userId: string, known?: { subscriptionStatus: string | null }) =>
      ({
        kind: 'user',
        filesPerMessage: known?.subscriptionStatus === 'guest' ? 1 : 10,
        ...plan,
      }) as never,
  },
  usage: {} as never,
};

/** What only reading and retrieval call. */
export const UNUSED = {
  log: createLog({ level: 'silent', name: 'test' }),
  config: { PRO_UPLOAD_MB: 100, OPENAI_VISION: false, CONTEXT_TOKENS: 8_000 },
  bus: { publish: async () => undefined, endSession: async () => undefined },
  redis: new Redis({ lazyConnect: true }),
  produce: () => ({}) as never,
  reader: {} as Core['reader'],
  embedder: null,
};

/** Attaching, using and deleting files on the real database and object store. */
export async function openFiles() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const models = defineModels(connection);
  await createIndexes(connection);
  const clock = { now: new Date() };
  const now = () => clock.now;
  const objects = createS3ObjectStore(embeddedStore());
  const published: { event: string; payload: unknown }[] = [];
  const enqueued: string[] = [];
  const bus: Bus = {
    publish: async (_, event, payload) => void published.push({ event, payload }),
    endSession: async () => undefined,
  };
  const made = createFilesFeature({ ...UNUSED, models, objects, bus, now }, OTHERS);
  const enqueueReading = async ({ id }: { id: string }) => void enqueued.push(id);
  const files: FilesFeature = { ...made, reading: { ...made.reading, enqueueReading } };

  /** The parts; `wrap` may let their calls fail. */
  const build = (wrap: <T extends object>(target: T) => T = (target) => target) => {
    const own = {
      ...files,
      records: wrap(files.records),
      uses: wrap(files.uses),
      deletions: wrap(files.deletions),
      storedBytes: wrap(files.storedBytes),
      uploads: wrap(files.uploads),
      objects: wrap(objects),
    };
    const bind = bindTo(own);
    return {
      attach: bind(attachUpload),
      addUse: bind(addUse),
      releaseConversation: bind(releaseConversation),
      selectForMessage: bind(selectForMessage),
      deletion: {
        remove: bind(deleteFile),
        removeOnlyUsedBy: bind(removeOnlyUsedBy),
        sweepDeleted: bind(sweepDeleted),
        sweepUnused: bind(sweepUnused),
      },
      storage: {
        ...own.storedBytes,
        reserve: bind(reserveBytes),
        used: bind(usedBytes),
        recount: bind(recountBytes),
        sweep: bind(sweepReservations),
      },
      sweepStoring: bind(sweepStoring),
    };
  };

  /** Uploads bytes for a user. @returns the key, as attach takes it */
  const upload = async (ownerId: string, bytes: Uint8Array, purpose: Purpose = 'chat') => {
    const key = uploadKey(ownerId, `${randomUUID()}/content`);
    const createdAt = clock.now;
    const expiresAt = new Date(createdAt.getTime() + 24 * 3_600_000);
    const size = bytes.length;
    await files.uploads.insert({
      ownerId,
      key,
      purpose,
      size,
      createdAt,
      expiresAt,
      sweepAt: expiresAt,
    });
    await objects.write(key, bytes, { type: 'text/html' });
    return key;
  };

  const parts = build();
  const { records: store, deletions } = files;
  return {
    ...parts,
    build,
    models,
    store,
    deletions,
    objects,
    published,
    enqueued,
    clock,
    upload,

    /** Uploads and attaches. */
    add: async (
      ownerId: string,
      bytes: Uint8Array,
      name = 'notes.txt',
      purpose: Purpose = 'chat',
    ) =>
      parts.attach(actorOf(ownerId), {
        uploadURL: await upload(ownerId, bytes, purpose),
        fileName: name,
        purpose,
      }),

    filesOf: async (ownerId: string): Promise<FileRecord[]> =>
      (await models.files.find({ ownerId }).lean<FileDocument[]>()).map(toFileRecord),

    later: (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms);
    },
  };
}

export type Rig = Awaited<ReturnType<typeof openFiles>>;

export async function bytesOf(objects: ObjectStore, key: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await objects.read(key)) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
