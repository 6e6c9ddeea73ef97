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
    'accounts' | 'conversations' | 'messages' | 'replies' | 'replyLog' | 'redis' | 'usage'
  >;
  objects: ObjectStore;
  payments: PaymentGateway;
}

/**
 * Removes everything of accounts that are being deleted: messages, conversations, usage, files, the payment provider's
 * customer. The account itself goes last: a removal that is cut off is found and finished by a later one.
 */
export function createAccountRemoval({ deps, objects, payments }: RemovalDeps) {
  const { accounts, conversations, usage } = deps;
  const removeMessages = createMessageRemoval({ ...deps, sleep: (ms) => sleep(ms) });

  const remove = async ({ userId }: RemovalJob): Promise<void> => {
    const account = await accounts.findForRemoval(userId);
    if (!account) return;
    await removeMessages(userId);
    await Promise.all([conversations.removeAllOf(userId), usage.removeAllOf(userId)]);
    await objects.removeAll(`users/${userId}/`);
    if (account.paymentCustomerId) await payments.removeCustomer(account.paymentCustomerId);
    await accounts.forget(userId);
  };

  return {
    remove,
    /** Guests whom nobody has seen for 24 hours, and removals that were cut off. */
    sweep: async (): Promise<void> => {
      for (const userId of await accounts.claimForRemoval({ limit: BATCH }))
        await remove({ userId });
    },
  };
}
