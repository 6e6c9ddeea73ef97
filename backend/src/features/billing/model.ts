import { type Connection, type InferSchemaType, Schema } from 'mongoose';
import { unlessDuplicate } from '../../db/mongo.ts';
import { NO_SUBSCRIPTION, type SubscriptionFacts } from './derive.ts';

const PLAN = { type: String, enum: ['starter', 'pro'] };
const INTERVAL = { type: String, enum: ['month', 'year'] };
const nested = (fields: object) => new Schema(fields, { _id: false });

// At most one document per user, created by the first checkout; guests have none.
const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true, unique: true },
    /** Every write raises it, so that a state fetched before another write is not stored after it. */
    version: { type: Number, default: 0 },
    /** The payment provider's customer ids of this user; the customer of the subscription comes first. */
    customerIds: { type: [String], default: undefined },
    subscriptionId: String,
    plan: PLAN,
    interval: INTERVAL,
    status: { type: String, enum: ['active', 'past_due', 'disputed'] },
    startedAt: Date,
    periodEndsAt: Date,
    cancelsAt: Date,
    pendingChange: nested({ plan: PLAN, interval: INTERVAL }),
    pastDue: nested({ since: Date, graceEndsAt: Date }),
    mixedPeriod: nested({ startsAt: Date, endsAt: Date, tokens: Number }),
    /** When the user's tabs got the event about the end of the grace. */
    graceEndToldAt: Date,
    checkout: nested({ key: String, fingerprint: String, checkoutId: String, createdAt: Date }),
  },
  { versionKey: false },
);
schema.index({ customerIds: 1 }, { unique: true, sparse: true });
schema.index({ 'pastDue.graceEndsAt': 1 }, { sparse: true });

/** The only checkout that the user can pay. */
export interface OpenCheckout {
  /** The idempotency key at the provider. */
  key: string;
  /** A hash of all that the request to the provider contains. */
  fingerprint: string;
  /** Null until the provider answers. */
  checkoutId: string | null;
  createdAt: Date;
}

export interface Subscription extends SubscriptionFacts {
  ownerId: string;
  version: number;
  customerIds: string[];
  checkout: OpenCheckout | null;
}

export const defineSubscriptionModel = (connection: Connection) =>
  connection.model('Subscription', schema, 'subscriptions');

type SubscriptionModel = ReturnType<typeof defineSubscriptionModel>;

type Version = Pick<Subscription, 'ownerId' | 'version'>;

/** The facts that a refresh stores together. */
interface Replacement {
  facts: SubscriptionFacts;
  customerIds: string[];
  keepCheckout: boolean;
}

const FACTS = Object.keys(NO_SUBSCRIPTION) as (keyof SubscriptionFacts)[];

export const createSubscriptionStore = (model: SubscriptionModel) => ({
  ...readingStore(model),
  ...changingStore(model),
});

function readingStore(model: SubscriptionModel) {
  return {
    /** The user's subscription in any state; null when there never was one. */
    findOf: async (ownerId: string): Promise<Subscription | null> => {
      const found = await model.findOne({ ownerId }).lean();
      return found && toSubscription(found);
    },

    /** The user of a customer at the provider. */
    ownerOfCustomer: async (customerId: string): Promise<string | null> => {
      const found = await model.findOne({ customerIds: customerId }, { ownerId: 1 }).lean();
      return found ? String(found.ownerId) : null;
    },

    /** Users whose grace has ended and whose tabs have not got the event. */
    findGraceEnded: async (now: Date, limit: number): Promise<string[]> => {
      const ended = { 'pastDue.graceEndsAt': { $lte: now }, graceEndToldAt: null };
      const found = await model.find(ended, { ownerId: 1 }).limit(limit).lean();
      return found.map(({ ownerId }) => String(ownerId));
    },

    /** Users with a subscription at the provider, by pages. */
    pageOfSubscribers: async (after: string | null, limit: number): Promise<Subscription[]> => {
      const filter = {
        subscriptionId: { $exists: true },
        ...(after !== null && { ownerId: { $gt: after } }),
      };
      const found = await model.find(filter).sort({ ownerId: 1 }).limit(limit).lean();
      return found.map(toSubscription);
    },
  };
}

function changingStore(model: SubscriptionModel) {
  const { findOf } = readingStore(model);
  const change = async (filter: object, update: object): Promise<boolean> => {
    const { matchedCount } = await model.updateOne(filter, { $inc: { version: 1 }, ...update });
    return matchedCount === 1;
  };

  return {
    /** The user's subscription; an empty record is created when there is none. */
    findOrCreate: async (ownerId: string): Promise<Subscription> => {
      const found = await findOf(ownerId);
      if (found) return found;
      const empty = { $setOnInsert: { version: 0 } };
      await unlessDuplicate(model.updateOne({ ownerId }, empty, { upsert: true }));
      return (await findOf(ownerId)) ?? toSubscription({ ownerId });
    },

    /** Stores a state that was fetched after `expected` was read; false after any write in between. */
    replace: (expected: Version, next: Replacement) =>
      change(atVersion(expected), replacement(next)),

    /** Makes `checkout` the only one of the user; false after any write since `expected` was read. */
    beginCheckout: (expected: Version, checkout: Omit<OpenCheckout, 'checkoutId'>) =>
      change(atVersion(expected), { $set: { checkout } }),

    /** Adds the provider's id to a checkout; false when another checkout has replaced it. */
    openCheckout: (ownerId: string, key: string, checkoutId: string) =>
      change({ ownerId, 'checkout.key': key }, { $set: { 'checkout.checkoutId': checkoutId } }),

    /** Raises the version, so that later changes use other idempotency keys. */
    touch: (ownerId: string) => change({ ownerId }, {}),

    markGraceEndPublished: async (ownerId: string, now: Date): Promise<void> => {
      const ended = { ownerId, 'pastDue.graceEndsAt': { $lte: now } };
      await model.updateOne(ended, { $set: { graceEndToldAt: now } });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}

// Documents of an older version have no number.
const atVersion = ({ ownerId, version }: Version) => ({
  ownerId,
  version: version === 0 ? { $in: [0, null] } : version,
});

function replacement({ facts, customerIds, keepCheckout }: Replacement) {
  const kept = FACTS.filter((name) => facts[name] !== null);
  const gone = FACTS.filter((name) => facts[name] === null);
  return {
    $set: {
      ...Object.fromEntries(kept.map((name) => [name, facts[name]])),
      ...(customerIds.length > 0 && { customerIds }),
    },
    $unset: {
      ...Object.fromEntries(gone.map((name) => [name, 1])),
      ...(!keepCheckout && { checkout: 1 }),
      ...(!facts.pastDue && { graceEndToldAt: 1 }),
    },
  };
}

/** A stored document; null facts have no field. */
type Stored = Partial<Omit<InferSchemaType<typeof schema>, 'ownerId'>> & { ownerId: unknown };

function toSubscription(stored: Stored): Subscription {
  const { checkout } = stored;
  return {
    // The schema guards the types of what is stored.
    ...(Object.fromEntries(
      FACTS.map((name) => [name, stored[name] ?? null]),
    ) as unknown as SubscriptionFacts),
    ownerId: String(stored.ownerId),
    version: stored.version ?? 0,
    customerIds: stored.customerIds ?? [],
    checkout: checkout ? ({ checkoutId: null, ...checkout } as OpenCheckout) : null,
  };
}
