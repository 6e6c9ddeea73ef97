import { randomBytes, randomUUID } from 'node:crypto';
import { testCore } from '../../../test/core.ts';
import type { Actor } from '../../access/index.ts';
import type { FairQueue } from '../../jobs/fair-queue.ts';
import type { ObjectStore } from '../../objects/index.ts';
import { forWorkspaces } from '../record-grants.ts';
import { bindTo } from './calls.ts';
import { createFilesFeature, defineModels, type FilesFeature, type Others } from './feature.ts';
import { attachUpload } from './library/attach.ts';
import { deleteFile, removeOnlyUsedBy, sweepDeleted, sweepUnused } from './library/deletion.ts';
import { type FileDocument, toFileRecord } from './library/file-model.ts';
import { type FileRecord, uploadKey } from './library/file-record.ts';
import { handOver } from './library/hand-over.ts';
import type { Purpose } from './library/plan-limits.ts';
import {
  recountBytes,
  reserveBytes,
  sweepReservations,
  usedBytes,
} from './library/stored-bytes.ts';
import { sweepStoring } from './library/storing-sweep.ts';
import { addUse, releaseConversation, selectForMessage } from './library/uses.ts';
import type { ReadingLane } from './reading/lanes.ts';

export const newId = () => randomBytes(12).toString('hex');

export const MB = 1024 * 1024;

/** The limits of the user's plan; a test may change them. */
export const plan = { uploadBytes: 10 * MB, storageBytes: 100 * MB, subscriptionPlan: 'starter' };

export const actorOf = (userId: string): Actor => ({
  kind: 'session',
  userId,
  isGuest: false,
  sessionId: newId(),
  scopes: ['all'],
});

/** Makes calls of several objects fail as in a crashed process: the call with that number and all after it. */
export const dyingAt = (call: number) => cutBy((calls) => calls >= call);

/** Makes only the call with that number fail. */
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

/** The plan of every user, with more quota than a test uses. */
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
  chat: { readableAmong: async () => [] },
  workspaces: {
    poolsOf: async () => [],
    places: async () => [],
    names: async () => () => '',
    colleagues: async () => new Set(),
  },
};

type ProducerChanges = Partial<ReadingLane['producer']>;

/** A lane that adds no job to a queue. */
export function laneOf(changes: ProducerChanges = {}): {
  producer: ReadingLane['producer'];
  fairQueue: FairQueue<string>;
} {
  const nothing = async () => undefined;
  return {
    producer: {
      add: nothing,
      canRun: async () => false,
      remove: nothing,
      waiting: async () => ({ ahead: 0, jobIds: [] }),
      ...changes,
    },
    fairQueue: { enter: async () => 1, started: nothing, forget: nothing, count: async () => 0 },
  };
}

export const lanesOf = (changes: ProducerChanges = {}): FilesFeature['readingLanes'] => ({
  users: laneOf(changes),
  guests: laneOf(changes),
});

/** Files on the real database and object store. */
export async function openFiles() {
  const clock = { now: new Date() };
  const core = await testCore({ overrides: { now: () => clock.now } });
  const models = defineModels(core.connection);
  const enqueued: string[] = [];
  const readingLanes = lanesOf({ add: async (id) => void enqueued.push(id) });
  const files: FilesFeature = { ...createFilesFeature({ ...core, models }, OTHERS), readingLanes };
  const { objects } = core;

  /** The object; `wrap` may make its calls fail. */
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
      countShared: forWorkspaces(own.records).countShared,
      handOver: bind(handOver),
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
    published: core.events,
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
