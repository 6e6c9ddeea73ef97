import type { PaymentGateway } from '../../payments/index.ts';
import type { PaymentEventStore } from './events/event-model.ts';
import type { SubscriptionStore } from './model.ts';

interface EraseDeps {
  subscriptions: SubscriptionStore;
  events: PaymentEventStore;
  gateway: Pick<PaymentGateway, 'expireCheckout' | 'findCheckout' | 'removeCustomer'>;
}

/** Ends what could still be paid, removes the user's customers at the provider, then what is stored. */
export function createErasure({ subscriptions, events, gateway }: EraseDeps) {
  /** The customer of a checkout that was paid before it could be ended. */
  const endCheckout = async (checkoutId: string): Promise<string[]> => {
    // One that the provider does not know any more must not keep the account from being erased.
    const checkout = await gateway.findCheckout(checkoutId);
    if (checkout?.status === 'open') await gateway.expireCheckout(checkoutId);
    const customerId = (await gateway.findCheckout(checkoutId))?.customerId;
    return customerId ? [customerId] : [];
  };
  return async (userId: string): Promise<void> => {
    const record = await subscriptions.findOf(userId);
    if (!record) return;
    const { checkout, customerIds } = record;
    const paid = checkout?.checkoutId ? await endCheckout(checkout.checkoutId) : [];
    const all = [...new Set([...customerIds, ...paid])];
    for (const customerId of all) await gateway.removeCustomer(customerId);
    await events.removeAllOf(all);
    await subscriptions.removeAllOf(userId);
  };
}
