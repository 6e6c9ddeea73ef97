import type { Migration } from '../../db/migrate.ts';
import type { ObjectId } from '../../db/mongo.ts';

const MOVED = { subscriptionPlan: 1, paymentCustomerId: 1 } as const;

/** Plan, status and payment customer move from the account into `subscriptions`. Guests keep their status. */
const moveSubscriptions: Migration = {
  id: '0003-subscriptions',
  run: async (connection) => {
    const users = connection.collection('users');
    const subscriptions = connection.collection('subscriptions');
    const toMove = {
      $or: [
        { subscriptionStatus: 'active' },
        { subscriptionPlan: { $exists: true } },
        { paymentCustomerId: { $exists: true } },
      ],
    };
    for await (const user of users.find(toMove)) {
      const { _id, subscriptionStatus, subscriptionPlan, paymentCustomerId, createdAt } = user;
      const subscription = {
        ...(subscriptionPlan && { plan: subscriptionPlan }),
        ...(subscriptionStatus === 'active' && { status: 'active' }),
        ...(paymentCustomerId && { paymentCustomerId }),
        startedAt: createdAt,
      };
      // The subscription first: a crash in between leaves the account's fields, and the next run changes nothing here.
      await subscriptions.updateOne(
        { ownerId: _id },
        { $setOnInsert: subscription },
        { upsert: true },
      );
      const isActive = subscriptionStatus === 'active';
      await users.updateOne(
        { _id },
        { $unset: { ...MOVED, ...(isActive && { subscriptionStatus: 1 }) } },
      );
    }
  },
};

interface Former {
  _id: ObjectId;
  plan?: string;
  status?: string;
  paymentCustomerId?: string;
}

/**
 * Status and plan come together, customers are a list, and every record has a version. Who had a plan keeps it: it was
 * given by hand, because nothing could be paid before.
 */
const completeSubscriptions: Migration = {
  id: '0007-subscription-states',
  run: async (connection) => {
    const subscriptions = connection.collection<Former>('subscriptions');
    for await (const former of subscriptions.find({ version: { $exists: false } })) {
      const { _id, plan, status, paymentCustomerId } = former;
      const hasPlan = plan !== undefined || status !== undefined;
      await subscriptions.updateOne(
        { _id, version: { $exists: false } },
        {
          $set: {
            version: 0,
            ...(hasPlan && { plan: plan ?? 'starter', status: 'active' }),
            ...(paymentCustomerId && { customerIds: [paymentCustomerId] }),
          },
          $unset: { paymentCustomerId: 1, ...(!hasPlan && { startedAt: 1 }) },
        },
      );
    }
  },
};

export const billingMigrations: readonly Migration[] = [moveSubscriptions, completeSubscriptions];
