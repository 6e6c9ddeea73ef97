import type { UserModel } from './user-model.ts';

/** Accounts on their way out. Whoever removes what other features keep of a person claims the account first. */
export type RemovalStore = ReturnType<typeof createRemovalStore>;

export function createRemovalStore(model: UserModel) {
  return {
    /** Shuts the account for good and sets its address free; false when it is being deleted already. */
    begin: async (id: string, now: Date): Promise<boolean> => {
      const shut = {
        $set: { deletingAt: now, emailVerified: false },
        $unset: { email: 1, pendingEmail: 1, passwordHash: 1, google: 1, replit: 1 },
      };
      const { modifiedCount } = await model.updateOne({ _id: id, deletingAt: null }, shut);
      return modifiedCount === 1;
    },

    /** The payment provider's customer of an account that is being deleted; null when there is no such account. */
    find: async (id: string): Promise<{ paymentCustomerId: string | null } | null> => {
      const filter = { _id: id, deletingAt: { $ne: null } };
      const user = await model.findOne(filter, { paymentCustomerId: 1 }).lean();
      return user && { paymentCustomerId: user.paymentCustomerId ?? null };
    },

    /**
     * Ids of up to `limit` accounts that are due: guests last seen before `unseenSince`, and accounts whose removal began
     * before `retryBefore` and has not come to its end. Each is handed out to one caller.
     */
    claim: async (options: {
      unseenSince: Date;
      retryBefore: Date;
      now: Date;
      limit: number;
    }): Promise<string[]> => {
      const due = {
        $or: [
          {
            subscriptionStatus: 'guest' as const,
            lastSeenAt: { $lt: options.unseenSince },
            deletingAt: null,
          },
          { deletingAt: { $lt: options.retryBefore } },
        ],
      };
      const found = await model.find(due, { _id: 1 }).limit(options.limit).lean();
      const claims = found.map(async ({ _id }) => {
        const claim = { $set: { deletingAt: options.now } };
        const { modifiedCount } = await model.updateOne({ ...due, _id }, claim);
        return modifiedCount === 1 ? [String(_id)] : [];
      });
      return (await Promise.all(claims)).flat();
    },

    /** Removes an account that is marked as being deleted, and no other. */
    remove: async (id: string): Promise<void> => {
      await model.deleteOne({ _id: id, deletingAt: { $ne: null } });
    },
  };
}
