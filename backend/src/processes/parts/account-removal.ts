import { setTimeout as sleep } from 'node:timers/promises';
import type { RemovalJob } from '../../features/accounts/index.ts';
import { createMessageRemoval } from '../../features/chat/generation/index.ts';
import type { ObjectStore } from '../../objects/index.ts';
import type { PaymentGateway } from '../../payments/index.ts';
import type { Deps } from './compose.ts';

const BATCH = 50;

interface RemovalDeps {
  deps: Pick<
    Deps,
    | 'accounts'
    | 'conversations'
    | 'messages'
    | 'replies'
    | 'replyLog'
    | 'redis'
    | 'usage'
    | 'billing'
  >;
  objects: ObjectStore;
  payments: PaymentGateway;
}

/**
 * Removes everything of accounts that are being deleted: messages, conversations, usage, files, the payment provider's
 * customer. The account itself goes last: an interrupted removal is found and completed by a later one.
 */
export function createAccountRemoval({ deps, objects, payments }: RemovalDeps) {
  const { accounts, billing, conversations, usage } = deps;
  const removeMessages = createMessageRemoval({ ...deps, sleep: (ms) => sleep(ms) });

  const remove = async ({ userId }: RemovalJob): Promise<void> => {
    if (!(await accounts.isRemoving(userId))) return;
    await removeMessages(userId);
    await conversations.removeAllOf(userId);
    await objects.removeAll(`users/${userId}/`);
    const customerId = await billing.paymentCustomerOf(userId);
    if (customerId !== null) await payments.removeCustomer(customerId);
    // After the messages: a reply that has just ended may still be settled.
    await Promise.all([usage.removeAllOf(userId), billing.removeAllOf(userId)]);
    await accounts.forget(userId);
  };

  return {
    remove,
    /** Guests and unverified accounts that are not used any more, and interrupted removals. */
    sweep: async (): Promise<void> => {
      for (const userId of await accounts.leaseForRemoval({ limit: BATCH }))
        await remove({ userId });
    },
  };
}
