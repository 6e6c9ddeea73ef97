import { type Connection, type InferSchemaType, Schema } from 'mongoose';
import { unlessDuplicate } from '../../../db/mongo.ts';
import { recordsBy } from '../../../db/records.ts';
import { type Change, createTaskStore, taskFields } from '../../../jobs/durable-model.ts';
import type { PaymentEvent } from '../../../payments/index.ts';

/** Applied events are kept only to recognise repetitions, which providers send within days. */
const KEPT_SECONDS = 90 * 24 * 60 * 60;

// Only the ids that are needed to fetch: no amount, name or email address.
const schema = new Schema(
  {
    /** The provider's id of the event. */
    _id: String,
    type: { type: String, required: true },
    customerId: String,
    subscriptionId: String,
    checkoutId: String,
    state: { type: String, enum: ['received', 'applied', 'failed'], required: true },
    /** Attempts so far. */
    tries: { type: Number, required: true },
    lost: taskFields.lost,
    failures: taskFields.failures,
    heartbeatAt: taskFields.heartbeatAt,
    dueAt: taskFields.dueAt,
    lastError: String,
    receivedAt: { type: Date, required: true },
    triedAt: Date,
    appliedAt: Date,
  },
  { versionKey: false },
);
schema.index({ state: 1, receivedAt: 1 });
schema.index({ state: 1, dueAt: 1 });
schema.index({ customerId: 1 }, { sparse: true });
schema.index({ appliedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

type EventDocument = InferSchemaType<typeof schema> & { _id: string };

export interface EventKey {
  eventId: string;
}

/** `received`: the job is due, or due again. `failed`: an operator must look at the event. */
export type EventState = 'received' | 'applied' | 'failed';

export interface StoredEvent {
  id: string;
  type: string;
  customerId: string | null;
  subscriptionId: string | null;
  checkoutId: string | null;
  state: EventState;
  attempts: number;
  lastError: string | null;
  receivedAt: Date;
  triedAt: Date | null;
}

type Arrived = Pick<PaymentEvent, 'id' | 'type' | 'customerId' | 'subscriptionId' | 'checkoutId'>;

export const definePaymentEventModel = (connection: Connection) =>
  connection.model('PaymentEvent', schema, 'payment_events');

type EventModel = ReturnType<typeof definePaymentEventModel>;

export function createPaymentEventStore(model: EventModel) {
  /** Stores an event unless its id is stored already. */
  const insert = async ({ id, type, ...ids }: Arrived, fields: object): Promise<void> => {
    const known = Object.entries(ids).filter(([, value]) => value !== null);
    const event = { _id: id, type, ...Object.fromEntries(known), tries: 0, ...fields };
    await unlessDuplicate(model.create(event));
  };

  return {
    ...operatorStore(model),

    tasks: createTaskStore<EventKey, EventDocument, StoredEvent>(model, {
      path: '',
      names: { attempt: 'tries' },
      key: ({ eventId }) => ({ _id: eventId }),
      pending: { state: 'received' },
      keysOf: ({ _id }) => [{ eventId: _id }],
      toDoc: toEvent,
    }),

    /** Stores an event once, whatever its stored state is. */
    receive: (
      { id, type, customerId, subscriptionId, checkoutId }: Arrived,
      { now, dueAt }: { now: Date; dueAt: Date },
    ): Promise<void> => {
      const event = { id, type, customerId, subscriptionId, checkoutId };
      return insert(event, { state: 'received', receivedAt: now, dueAt });
    },

    /** Records a problem for an operator, once per id. */
    flag: (event: Arrived, { error, now }: { error: string; now: Date }): Promise<void> =>
      insert(event, { state: 'failed', lastError: error, receivedAt: now }),

    find: (id: string): Promise<StoredEvent | null> => eventsIn(model).findOne({ _id: id }),

    removeAllOf: async (customerIds: string[]): Promise<void> => {
      await model.deleteMany({ customerId: { $in: customerIds } });
    },
  };
}

/** Reads and changes of the operator's page. */
function operatorStore(model: EventModel) {
  return {
    /** Gives a failed event new retries; false when it is not failed. */
    retry: async (id: string, dueAt: Date): Promise<boolean> => {
      const { modifiedCount } = await model.updateOne(
        { _id: id, state: 'failed' },
        { $set: { state: 'received', dueAt, failures: 0, lost: 0 } },
      );
      return modifiedCount === 1;
    },

    /** Events that are not applied, oldest first. */
    list: (state: EventState, { limit }: { limit: number }): Promise<StoredEvent[]> =>
      eventsIn(model).find({ state }, { sort: { receivedAt: 1 }, limit }),

    count: (state: EventState): Promise<number> => model.countDocuments({ state }),
  };
}

const toEvent = (found: EventDocument): StoredEvent => ({
  id: found._id,
  type: found.type,
  customerId: found.customerId ?? null,
  subscriptionId: found.subscriptionId ?? null,
  checkoutId: found.checkoutId ?? null,
  state: found.state,
  attempts: found.tries,
  lastError: found.lastError ?? null,
  receivedAt: found.receivedAt,
  triedAt: found.triedAt ?? null,
});

const eventsIn = recordsBy(toEvent);

/** Changes that end an attempt or schedule the next one. */
export const applied = (now: Date): Change => ({
  $set: { state: 'applied', appliedAt: now, triedAt: now },
  $unset: { lastError: 1 },
});
export const tried = (error: string, now: Date): Change => ({
  $set: { lastError: error, triedAt: now },
});
export const failed = (error: string, now: Date): Change => ({
  $set: { state: 'failed', lastError: error, triedAt: now },
});
