import { type Connection, Schema } from 'mongoose';
import type { PlanId } from '../../contract/auth.ts';

// At most one document per user; guests have none.
const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true, unique: true },
    plan: { type: String, enum: ['starter', 'pro'] },
    status: { type: String, enum: ['active'] },
    /** The first instant of the subscription; usage periods are counted from here. */
    startedAt: { type: Date, required: true },
    /** The payment provider's id of this customer. */
    paymentCustomerId: String,
  },
  { versionKey: false },
);

export interface Subscription {
  plan: PlanId | null;
  status: 'active' | null;
  startedAt: Date;
  paymentCustomerId: string | null;
}

interface SubscriptionDocument extends Partial<Subscription> {
  startedAt: Date;
}

export const defineSubscriptionModel = (connection: Connection) =>
  connection.model('Subscription', schema, 'subscriptions');

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

export function createSubscriptionStore(model: ReturnType<typeof defineSubscriptionModel>) {
  return {
    /** The user's subscription, whatever its state; null when there never was one. */
    findOf: async (ownerId: string): Promise<Subscription | null> => {
      const found = await model.findOne({ ownerId }).lean<SubscriptionDocument>();
      return (
        found && {
          plan: found.plan ?? null,
          status: found.status ?? null,
          startedAt: found.startedAt,
          paymentCustomerId: found.paymentCustomerId ?? null,
        }
      );
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
