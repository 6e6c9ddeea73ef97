import { type Connection, Schema } from 'mongoose';
import { nextChangeAt } from './simulator/clock.ts';
import { keyReused } from './simulator/errors.ts';
import type { CustomerState } from './simulator/state.ts';
import { type CustomerStore, namesOf, type StoredCustomer } from './simulator/state.ts';

// One document contains all of a customer, so that a change and its events are one write.
const schema = new Schema(
  {
    _id: { type: String, required: true },
    version: { type: Number, required: true },
    names: { type: [String], required: true },
    ownerId: { type: String, required: true },
    /** When it next changes by itself, or has an event to deliver. */
    dueAt: Date,
    state: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, minimize: false },
);
schema.index({ names: 1 }, { unique: true });
schema.index({ ownerId: 1 });
schema.index({ dueAt: 1 });

const isDuplicateKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 11_000;

/** The time of the customer's next scheduled work, in real time. */
function dueAt(state: CustomerState): Date | null {
  const change = nextChangeAt(state);
  const times = state.events.flatMap(({ nextTryAt }) => nextTryAt ?? []).concat(change ?? []);
  return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
}

const fields = (state: CustomerState) => ({
  names: namesOf(state),
  ownerId: state.ownerId,
  dueAt: dueAt(state),
  state,
});

/** The customers in the collection `test_gateway_customers` of a database, with its indexes. */
export async function openCustomerStore(connection: Connection): Promise<CustomerStore> {
  const model = connection.model('TestGatewayCustomer', schema, 'test_gateway_customers');
  await model.createIndexes();
  const stored = (doc: { version: number; state: unknown }): StoredCustomer => ({
    version: doc.version,
    state: doc.state as CustomerState,
  });
  return {
    find: async (name) => {
      const found = await model.findOne({ names: name }).lean();
      return found && stored(found);
    },
    listOf: async (ownerId) => (await model.find({ ownerId }).sort({ _id: 1 }).lean()).map(stored),
    listDue: async (now, limit) =>
      (
        await model
          .find({ dueAt: { $lte: now } })
          .sort({ dueAt: 1 })
          .limit(limit)
          .lean()
      ).map(stored),
    page: async ({ after, limit }) => {
      const filter = after === null ? {} : { _id: { $gt: after } };
      return (await model.find(filter).sort({ _id: 1 }).limit(limit).lean()).map(stored);
    },
    insert: async (state) => {
      try {
        await model.create({ _id: state.id, version: 1, ...fields(state) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    replace: async (state, version) => {
      const next = { $set: { ...fields(state), version: version + 1 } };
      try {
        return (await model.updateOne({ _id: state.id, version }, next)).modifiedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) throw keyReused();
        throw error;
      }
    },
  };
}
