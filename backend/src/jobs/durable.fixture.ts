import { randomBytes, randomUUID } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import * as z from 'zod';
import { atEnd } from '../../test/at-end.ts';
import { ownDatabase } from '../../test/processes.ts';
import { connectMongo, createIndexes } from '../db/mongo.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createLog } from '../log.ts';
import { defineJob, RunLaterError } from './define-job.ts';
import { createTaskQueue, createTaskSweep, type DurableTask, durable } from './durable.ts';
import { createTaskStore, type TaskShape, type TaskStore, taskFields } from './durable-model.ts';
import { createProducer } from './producer.ts';

export interface TaskKey {
  id: string;
}
/** A test's view of a task, independent of its storage. */
export interface TaskView {
  id: string;
  isPending: boolean;
  result?: string;
  givenUp?: string;
  fields: Partial<Record<keyof typeof taskFields | 'tries', unknown>>;
}
export type Tasks = TaskStore<TaskKey, TaskView>;

type Stored = Record<string, unknown> & { _id: unknown };

const RESULT = { result: String, givenUp: String, state: String };
const withoutId = { _id: false };

const common = {
  key: ({ id }: TaskKey) => ({ _id: id }),
  keysOf: ({ _id }: Stored) => [{ id: String(_id) }],
};
const viewOf = ({ _id, result, givenUp }: Stored, isPending: boolean, fields: unknown) =>
  ({ id: String(_id), isPending, result, givenUp, fields: fields ?? {} }) as TaskView;

/** All forms of storage. */
export const SHAPES: Record<
  string,
  { schema: object; waiting: object; ended: object; shape: TaskShape<TaskKey, Stored, TaskView> }
> = {
  'a document': {
    schema: { ...RESULT, ...taskFields },
    waiting: { state: 'open' },
    ended: { $set: { state: 'closed' } },
    shape: {
      ...common,
      path: '',
      pending: { state: 'open' },
      toDoc: (doc) => viewOf(doc, doc.state === 'open', doc),
    },
  },
  'a sub-document with a former name': {
    schema: { ...RESULT, work: new Schema({ ...taskFields, tries: Number }, withoutId) },
    waiting: { state: 'open' },
    ended: { $set: { state: 'closed' } },
    shape: {
      ...common,
      path: 'work',
      names: { attempt: 'tries' },
      pending: { state: 'open' },
      toDoc: (doc) => viewOf(doc, doc.state === 'open', doc.work),
    },
  },
  'an element of an array': {
    schema: { ...RESULT, works: [new Schema({ ...taskFields, name: String }, withoutId)] },
    waiting: {
      works: [
        { name: 'other', dueAt: new Date(8e15) },
        { name: 'own', dueAt: new Date(0) },
      ],
    },
    ended: {},
    shape: {
      ...common,
      path: 'works',
      element: () => ({ name: 'own' }),
      pending: {},
      toDoc: (doc) => {
        const works = doc.works as { name: string }[];
        const own = works.find(({ name }) => name === 'own');
        // The element beside it must not change.
        const isWhole = works.some((one) => one.name === 'other' && Object.keys(one).length === 2);
        if (!isWhole) throw new Error('Another element has changed.');
        return viewOf(doc, own !== undefined, own);
      },
    },
  },
};

/** Tasks of one shape on the real database and Redis, with a clock that tests advance. */
export async function startTasks(name: string) {
  const { schema, waiting, ended, shape } = SHAPES[name] ?? {};
  if (!schema || !shape) throw new Error('There is no such shape.');
  const connection: Connection = await connectMongo(ownDatabase());
  const redis = await connect('never');
  const model = connection.model<Stored>(
    'Task',
    new Schema(schema, { versionKey: false }) as never,
  );
  await createIndexes(connection);
  const tasks = createTaskStore(model, shape);
  const job = defineJob({
    name: `durable-${randomUUID()}`,
    schema: z.object({ id: z.string() }),
    lockMs: 500,
    stallCheckMs: 100,
    maxStalls: 100,
  });
  const producer = createProducer<TaskKey>(job, redis);
  const log = createLog({ level: 'silent', name: 'test' });
  const queue = createTaskQueue(job, { producer, idOf: ({ id }) => id, log });
  let forwardMs = 0;
  const now = () => new Date(Date.now() + forwardMs);
  atEnd(async () => {
    await producer.close();
    redis.disconnect();
    await connection.close();
  });

  return {
    tasks,
    model,
    job,
    producer,
    queue,
    redis,
    now,
    log,
    connectWaiting: () => connect('always'),
    wait: (ms: number) => {
      forwardMs += ms;
    },
    insert: async (fields: object = {}): Promise<TaskKey> => {
      const id = randomBytes(12).toString('hex');
      await model.create({ _id: id, ...waiting, ...fields } as never);
      return { id };
    },
    view: async (key: TaskKey) => {
      const view = await tasks.find(key);
      if (!view) throw new Error('There is no such task.');
      return view;
    },
    /** The end of a task with a result. */
    endOf: (result: string) => merge(ended, { $set: { result } }),
    sweep: (changes: object = {}) => createTaskSweep({ tasks, queue, now, ...changes })(),
    /** A worker process. */
    worker: (changes: Partial<DurableTask<TaskKey, TaskView>>) =>
      durable<TaskKey, TaskView>({
        tasks,
        queue,
        now,
        log,
        retries: 2,
        retryMs: (failures) => failures * 1_000,
        maxLost: 2,
        run: async () => ({ end: merge(ended, { $set: { result: 'done' } }) }),
        givenUp: (error) => merge(ended, { $set: { givenUp: (error as Error).message } }),
        sleep: async () => undefined,
        ...changes,
      }),
  };
}

const connect = async (retry: 'never' | 'always'): Promise<Redis> =>
  connectRedis(process.env.REDIS_URL ?? '', { retry, onError: () => undefined });

const merge = (ended: object | undefined, { $set }: { $set: object }) => ({
  $set: { ...(ended as { $set?: object }).$set, ...$set },
});

const WRITES = ['start', 'heartbeat', 'putBack', 'end'] as const;

/**
 * The store of a process that can be killed: before and after each write, `cut` decides whether the process ends there. Afterwards no call
 * returns.
 */
export function mortal(
  tasks: Tasks,
  cut: (place: string) => boolean,
): { tasks: Tasks; died: Promise<void> } {
  let isDead = false;
  let die = () => {};
  const died = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const never = new Promise<never>(() => {});
  const reach = async (place: string) => {
    if (!isDead && cut(place)) die();
    if (isDead) await never;
  };
  const own: Record<string, unknown> = { ...tasks };
  for (const write of WRITES)
    own[write] = async (...options: never[]) => {
      await reach(`before ${write}`);
      const result = await (tasks[write] as (...all: never[]) => Promise<unknown>)(...options);
      await reach(`after ${write}`);
      return result;
    };
  return { tasks: own as unknown as Tasks, died };
}

export const LEASE_MS = 8_000;

/** The delay of a job; undefined when it has ended. */
export const laterOf = (run: Promise<void>): Promise<number | undefined> =>
  run.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof RunLaterError) return error.delayMs;
      throw error;
    },
  );

/** A latch that a test opens once. */
export function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
