import type { Migration } from '../../db/migrate.ts';

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

export const billingMigrations: readonly Migration[] = [moveSubscriptions];
