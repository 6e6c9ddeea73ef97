import type { Model } from 'mongoose';
import { recordsBy } from '../db/records.ts';

/** The stored fields of a durable task, beside those of its feature. Schemas spread them at the place of the task. */
export const taskFields = {
  /** The number of attempts: the fencing token of the running one. */
  attempt: Number,
  /** Attempts whose worker was lost. */
  lost: Number,
  /** Attempts that have failed. */
  failures: Number,
  /** The last heartbeat of the running attempt; absent while none runs. */
  heartbeatAt: Date,
  /** When a sweep checks whether the task has a job. */
  dueAt: Date,
};
type Field = keyof typeof taskFields;
/** Any Mongoose model. The types of its documents differ from those that features read. */
interface TaskModel {
  modelName: string;
}

/** The storage of a task. Every document is found by `key` and `pending`, so that an ended task stays unchanged. */
export interface TaskShape<Key, Stored, Doc> {
  /** The place of its fields: '' for the document itself, a sub-document, or an array, whose elements are tasks. */
  path: string;
  /** The document of a task. */
  key: (key: Key) => object;
  /** For an array: the element. An ended task is removed from the array. */
  element?: (key: Key) => Record<string, string>;
  /** The condition on the document while the task waits or runs. */
  pending: object;
  /** Former names of stored fields, from before tasks had common ones. */
  names?: Partial<Record<Field, string>>;
  /** The tasks of a document, from `keyFields` and its state. */
  keysOf: (doc: Stored) => Key[];
  /** The fields of a document that a sweep also reads; all by default. */
  keyFields?: Record<string, 1>;
  toDoc: (doc: Stored) => Doc;
}

/** Changes of a feature within the update that changes the state of a task. */
export type Change = Partial<
  Record<'$set' | '$unset' | '$inc' | '$addToSet', Record<string, unknown>>
>;

/** An attempt that has started. */
export interface Attempt<Key, Doc> {
  key: Key;
  doc: Doc;
  attempt: number;
  lost: number;
  failures: number;
}
type Fence<Key> = Pick<Attempt<Key, unknown>, 'key' | 'attempt'>;

/**
 * Durable tasks of one kind. Every change is one update that expects a pending task; those of an attempt also expect that it runs and is
 * the latest. `null` or `false` means that this no longer holds.
 */
export interface TaskStore<Key, Doc> {
  /** Starts an attempt at a waiting task, or at one without a heartbeat since `lostBefore`. */
  start: (
    key: Key,
    at: { now: Date; lostBefore: Date; dueAt: Date },
    change: Change,
  ) => Promise<Attempt<Key, Doc> | null>;
  heartbeat: (
    run: Fence<Key>,
    at: { now: Date; dueAt: Date },
    change?: Change,
  ) => Promise<Doc | null>;
  /** Returns the task to waiting for another attempt; `isFailure` counts this one. */
  putBack: (
    run: Fence<Key>,
    options: { dueAt: Date; isFailure: boolean },
    change?: Change,
  ) => Promise<Doc | null>;
  end: (run: Fence<Key>, change?: Change) => Promise<Doc | null>;
  /** The document of a task, even of an ended one. */
  find: (key: Key) => Promise<Doc | null>;
  /** The last heartbeat of a running task. */
  heartbeatOf: (key: Key) => Promise<Date | null>;
  /** Pending tasks that are due, longest due first. */
  findDue: (options: { now: Date; limit: number }) => Promise<Key[]>;
  /** Lets one of several sweeps handle a due task; it is due again at `dueAt`. */
  lease: (key: Key, at: { now: Date; dueAt: Date }) => Promise<boolean>;
}

export function createTaskStore<Key, Stored extends object, Doc>(
  anyModel: TaskModel,
  shape: TaskShape<Key, Stored, Doc>,
): TaskStore<Key, Doc> {
  const model = anyModel as object as Model<Stored>;
  const { path, element, toDoc } = shape;
  const fields = fieldsOf(shape);
  const { where, running, own, stateIn } = fields;
  const docs = recordsBy(toDoc)(model);
  const update = (filter: object, ...changes: Change[]) =>
    recordsBy((stored: Stored) => stored)(model).update(filter, merged(changes));
  const updateDoc = (filter: object, ...changes: Change[]) => docs.update(filter, merged(changes));
  return {
    start: async (key, { now, lostBefore, dueAt }, change) => {
      const begin = (heartbeatAt: object, counts: Fields<number>) =>
        update(
          where(key, { heartbeatAt }),
          { $set: own({ heartbeatAt: now, dueAt }), $inc: own({ attempt: 1, ...counts }) },
          change,
        );
      const stored =
        (await begin({ $exists: false }, {})) ?? (await begin({ $lte: lostBefore }, { lost: 1 }));
      if (!stored) return null;
      const { attempt, lost, failures } = stateIn(stored, key) as Fields<number | undefined>;
      const counts = { attempt: attempt ?? 0, lost: lost ?? 0, failures: failures ?? 0 };
      return { key, doc: toDoc(stored), ...counts };
    },

    heartbeat: (run, { now, dueAt }, change = {}) =>
      updateDoc(running(run), { $set: own({ heartbeatAt: now, dueAt }) }, change),

    putBack: (run, { dueAt, isFailure }, change = {}) =>
      updateDoc(
        running(run),
        { $set: own({ dueAt }), $unset: own({ heartbeatAt: 1 }) },
        isFailure ? { $inc: own({ failures: 1 }) } : {},
        change,
      ),

    end: (run, change = {}) => {
      const done = element
        ? { $pull: { [path]: element(run.key) } }
        : { $unset: own({ heartbeatAt: 1, dueAt: 1 }) };
      return updateDoc(running(run), done, change);
    },

    find: (key) => docs.findOne(shape.key(key)),

    heartbeatOf: async (key) => {
      const stored = await model.findOne(where(key)).lean<Stored>();
      return stored && ((stateIn(stored, key).heartbeatAt as Date | undefined) ?? null);
    },

    findDue: (options) => findDue(model, { ...shape, ...fields }, options),

    lease: async (key, { now, dueAt }) =>
      (await update(where(key, { dueAt: { $not: { $gt: now } } }), { $set: own({ dueAt }) })) !==
      null,
  };
}

/** The places of a task's fields in its document. */
function fieldsOf<Key, Stored extends object, Doc>(shape: TaskShape<Key, Stored, Doc>) {
  const { path, element, pending, names = {} } = shape;
  const nameOf = (field: Field) => names[field] ?? field;
  const inDocument = path && `${path}.`;
  const inUpdate = element ? `${path}.$.` : inDocument;

  /** Finds the document of a pending task whose fields meet the conditions. */
  const where = (key: Key, conditions: Fields<unknown> = {}) => {
    const renamedOnes = renamed(conditions, nameOf);
    const fields = element
      ? { [path]: { $elemMatch: { ...element(key), ...renamedOnes } } }
      : prefixed(renamedOnes, inDocument);
    return { ...shape.key(key), ...pending, ...fields };
  };
  return {
    where,
    running: ({ key, attempt }: Fence<Key>) =>
      where(key, { attempt, heartbeatAt: { $exists: true } }),
    /** The field names for updates. */
    own: (fields: Fields<unknown>) => prefixed(renamed(fields, nameOf), inUpdate),
    nameInDocument: (field: Field) => inDocument + nameOf(field),
    stateIn: (stored: Stored, key: Key): Fields<unknown> => {
      const at = path ? (stored as Record<string, unknown>)[path] : stored;
      const state = (element ? elementOf(at, element(key)) : at) as Record<string, unknown> | null;
      const fields = Object.keys(taskFields) as Field[];
      return Object.fromEntries(fields.map((field) => [field, state?.[nameOf(field)]]));
    },
  };
}

async function findDue<Key, Stored extends object, Doc>(
  model: Model<Stored>,
  {
    path,
    element,
    pending,
    keysOf,
    keyFields,
    nameInDocument,
    stateIn,
  }: TaskShape<Key, Stored, Doc> & ReturnType<typeof fieldsOf<Key, Stored, Doc>>,
  { now, limit }: { now: Date; limit: number },
): Promise<Key[]> {
  const name = nameInDocument('dueAt');
  // A document without a time never had a job. Elements of arrays always have one, and are found by a sparse index.
  const due = element ? { $lte: now } : { $not: { $gt: now } };
  const stored = await model
    .find({ ...pending, [name]: due }, keyFields && { ...keyFields, [path]: 1 })
    .sort({ [name]: 1 })
    .limit(limit)
    .lean<Stored[]>();
  return stored.flatMap((one) =>
    keysOf(one).filter((key) => {
      const { dueAt } = stateIn(one, key) as { dueAt?: Date };
      return !dueAt || dueAt <= now;
    }),
  );
}

type Fields<Value> = Partial<Record<Field, Value>>;

const renamed = (fields: Fields<unknown>, nameOf: (field: Field) => string) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [nameOf(field as Field), value]),
  );

const prefixed = (fields: object, prefix: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]));

const merged = (changes: readonly Change[]): Change => {
  const all: Record<string, Record<string, unknown>> = {};
  for (const change of changes)
    for (const [operator, fields] of Object.entries(change))
      all[operator] = { ...all[operator], ...fields };
  return all;
};

const elementOf = (elements: unknown, condition: Record<string, string>) =>
  (elements as Record<string, unknown>[] | undefined)?.find((one) =>
    Object.entries(condition).every(([name, value]) => one[name] === value),
  );
