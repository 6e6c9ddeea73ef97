import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';
import { NO_SUBSCRIPTION, type SubscriptionFacts } from './derive.ts';

const PLAN = { type: String, enum: ['starter', 'pro'] };
const INTERVAL = { type: String, enum: ['month', 'year'] };
const nested = (fields: object) => new Schema(fields, { _id: false });

// At most one document per user, from the first checkout on; guests have none.
const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true, unique: true },
    /** Raised by every write, so that a state which was fetched before another write is not stored after it. */
    version: { type: Number, default: 0 },
    /** The payment provider's ids of this customer, that of the subscription first. */
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
    /** When the user's tabs were told of the end of the grace. */
    graceEndToldAt: Date,
    checkout: nested({ key: String, fingerprint: String, checkoutId: String, createdAt: Date }),
  },
  { versionKey: false },
);
schema.index({ customerIds: 1 }, { unique: true, sparse: true });
schema.index({ 'pastDue.graceEndsAt': 1 }, { sparse: true });

/** The one checkout of a user that can be paid. */
export interface OpenCheckout {
  /** The idempotency key at the provider. */
  key: string;
  /** Of everything that the provider was asked for. */
  fingerprint: string;
  /** Null until the provider has answered. */
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

/** What a refresh stores: all facts at once. */
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
    /** The user's subscription, whatever its state; null when there never was one. */
    findOf: async (ownerId: string): Promise<Subscription | null> => {
      const found = await model.findOne({ ownerId }).lean();
      return found && toSubscription(found);
    },

    /** The user that a customer of the provider belongs to. */
    ownerOfCustomer: async (customerId: string): Promise<string | null> => {
      const found = await model.findOne({ customerIds: customerId }, { ownerId: 1 }).lean();
      return found ? String(found.ownerId) : null;
    },

    /** Users whose grace has ended, and whose tabs were not told of it yet. */
    findGraceEnded: async (now: Date, limit: number): Promise<string[]> => {
      const ended = { 'pastDue.graceEndsAt': { $lte: now }, graceEndToldAt: null };
      const found = await model.find(ended, { ownerId: 1 }).limit(limit).lean();
      return found.map(({ ownerId }) => String(ownerId));
    },

    /** Users with a subscription at the provider, page by page. */
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
    /** The user's subscription, and an empty record when there was none. */
    findOrCreate: async (ownerId: string): Promise<Subscription> => {
      const found = await findOf(ownerId);
      if (found) return found;
      await model
        .updateOne({ ownerId }, { $setOnInsert: { version: 0 } }, { upsert: true })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
      return (await findOf(ownerId)) ?? toSubscription({ ownerId });
    },

    /** Stores a state that was fetched after `expected` was read; false when anything was written in between. */
    replace: (expected: Version, next: Replacement) =>
      change(atVersion(expected), replacement(next)),

    /** Makes `checkout` the only one of the user; false when anything was written since `expected` was read. */
    beginCheckout: (expected: Version, checkout: Omit<OpenCheckout, 'checkoutId'>) =>
      change(atVersion(expected), { $set: { checkout } }),

    /** Adds the provider's id to a checkout; false when it is not the user's checkout any more. */
    openCheckout: (ownerId: string, key: string, checkoutId: string) =>
      change({ ownerId, 'checkout.key': key }, { $set: { 'checkout.checkoutId': checkoutId } }),

    /** Makes the idempotency keys of later changes differ from the present ones. */
    touch: (ownerId: string) => change({ ownerId }, {}),

    markGraceEndTold: async (ownerId: string, now: Date): Promise<void> => {
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

/** A document as it is stored: fields of facts that are null are left out. */
type Stored = {
  [Name in keyof SubscriptionFacts]?: unknown;
} & {
  ownerId: unknown;
  version?: number | null;
  customerIds?: string[] | null;
  checkout?: unknown;
};

function toSubscription(stored: Stored): Subscription {
  const checkout = stored.checkout as Partial<OpenCheckout> | null | undefined;
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
