import type { BillingFeature } from './feature.ts';
import type { Subscription } from './model.ts';

/** Ends the open checkout and every subscription of a user, at once. */
export async function endPayments(
  billing: Pick<BillingFeature, 'subscriptions' | 'gateway'>,
  userId: string,
): Promise<void> {
  const { subscriptions, gateway } = billing;
  const record = await subscriptions.findOf(userId);
  const customerIds = record ? await endCheckouts(billing, record) : [];
  const lists = await Promise.all(customerIds.map((id) => gateway.listSubscriptions(id)));
  for (const { id, ownerId, status } of lists.flat())
    if (ownerId === userId && status !== 'ended') await gateway.cancelNow(id);
}

/** Ends open checkouts and subscriptions, removes the user's customers at the provider, then the stored record. */
export async function erasePayments(
  billing: Pick<BillingFeature, 'subscriptions' | 'events' | 'gateway'>,
  userId: string,
): Promise<void> {
  const { subscriptions, events, gateway } = billing;
  const record = await subscriptions.findOf(userId);
  if (!record) return;
  const all = await endCheckouts(billing, record);
  for (const customerId of all) await gateway.removeCustomer(customerId);
  await events.removeAllOf(all);
  await subscriptions.removeAllOf(userId);
}

type Gateway = Pick<BillingFeature, 'gateway'>;

/** Ends an open checkout. @returns every customer of the user at the provider */
async function endCheckouts(
  billing: Gateway,
  { checkout, customerIds }: Subscription,
): Promise<string[]> {
  const paid = checkout?.checkoutId ? await endCheckout(billing, checkout.checkoutId) : [];
  return [...new Set([...customerIds, ...paid])];
}

/** @returns the customer of a checkout that was paid before it could be ended */
async function endCheckout({ gateway }: Gateway, checkoutId: string): Promise<string[]> {
  // A checkout that the provider no longer knows must not block the erasure of the account.
  const checkout = await gateway.findCheckout(checkoutId);
  if (checkout?.status === 'open') await gateway.expireCheckout(checkoutId);
  const customerId = (await gateway.findCheckout(checkoutId))?.customerId;
  return customerId ? [customerId] : [];
}
