import type { PaymentGateway } from '../../payments/index.ts';
import type { PaymentEventStore } from './events/event-model.ts';
import type { Subscription, SubscriptionStore } from './model.ts';

interface EraseDeps {
  subscriptions: SubscriptionStore;
  events: PaymentEventStore;
  gateway: Pick<
    PaymentGateway,
    'cancelNow' | 'expireCheckout' | 'findCheckout' | 'listSubscriptions' | 'removeCustomer'
  >;
}

/** Ends an open checkout. @returns every customer of the user at the provider */
const createEndOfCheckouts = ({ gateway }: Pick<EraseDeps, 'gateway'>) => {
  /** The customer of a checkout that was paid before it could be ended. */
  const endCheckout = async (checkoutId: string): Promise<string[]> => {
    // One that the provider does not know any more must not keep the account from being erased.
    const checkout = await gateway.findCheckout(checkoutId);
    if (checkout?.status === 'open') await gateway.expireCheckout(checkoutId);
    const customerId = (await gateway.findCheckout(checkoutId))?.customerId;
    return customerId ? [customerId] : [];
  };
  return async ({ checkout, customerIds }: Subscription): Promise<string[]> => {
    const paid = checkout?.checkoutId ? await endCheckout(checkout.checkoutId) : [];
    return [...new Set([...customerIds, ...paid])];
  };
};

/** Ends what a user pays or could still pay: the open checkout and every subscription, at once. */
export function createEndOfPayments({ subscriptions, gateway }: Omit<EraseDeps, 'events'>) {
  const endCheckouts = createEndOfCheckouts({ gateway });
  return async (userId: string): Promise<void> => {
    const record = await subscriptions.findOf(userId);
    const customerIds = record ? await endCheckouts(record) : [];
    const lists = await Promise.all(customerIds.map((id) => gateway.listSubscriptions(id)));
    for (const { id, ownerId, status } of lists.flat())
      if (ownerId === userId && status !== 'ended') await gateway.cancelNow(id);
  };
}

/** Ends what could still be paid, removes the user's customers at the provider, then what is stored. */
export function createErasure({ subscriptions, events, gateway }: EraseDeps) {
  const endCheckouts = createEndOfCheckouts({ gateway });
  return async (userId: string): Promise<void> => {
    const record = await subscriptions.findOf(userId);
    if (!record) return;
    const all = await endCheckouts(record);
    for (const customerId of all) await gateway.removeCustomer(customerId);
    await events.removeAllOf(all);
    await subscriptions.removeAllOf(userId);
  };
}
