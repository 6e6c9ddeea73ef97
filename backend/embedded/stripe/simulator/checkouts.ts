import { invalid, missing } from './errors.ts';
import { emitCheckout } from './events.ts';
import type { CheckoutState, Draft } from './state.ts';
import { priceOf, startSubscription } from './subscriptions.ts';

const CHECKOUT_MS = 24 * 60 * 60_000;

export type NewCheckout = Pick<
  CheckoutState,
  'ownerId' | 'priceId' | 'successUrl' | 'cancelUrl' | 'embedded'
>;

export function addCheckout(draft: Draft, request: NewCheckout): CheckoutState {
  const { state, now, makeId } = draft;
  if (state.deleted) throw missing('customer', state.id);
  const checkout: CheckoutState = {
    ...request,
    id: makeId('cs_test'),
    priceId: priceOf(draft.prices, request.priceId).id,
    status: 'open',
    createdAt: now,
    expiresAt: new Date(now.getTime() + CHECKOUT_MS),
    subscriptionId: null,
    declined: false,
  };
  state.checkouts.push(checkout);
  return checkout;
}

export function checkoutOf({ state }: Pick<Draft, 'state'>, id: string): CheckoutState {
  const found = state.checkouts.find((checkout) => checkout.id === id);
  if (!found) throw missing('checkout.session', id);
  return found;
}

/** Pays an open checkout; a complete one stays unchanged. */
export function payCheckout(draft: Draft, id: string): void {
  const checkout = checkoutOf(draft, id);
  if (checkout.status === 'complete') return;
  if (checkout.status === 'expired') throw invalid('This checkout has expired.');
  draft.state.exists = true;
  draft.state.card = 'works';
  const price = priceOf(draft.prices, checkout.priceId);
  const subscription = startSubscription(draft, { ownerId: checkout.ownerId, price });
  checkout.status = 'complete';
  checkout.declined = false;
  checkout.subscriptionId = subscription.id;
  emitCheckout(draft, 'completed', checkout);
}

/** Attempts to pay with a declined card: the checkout stays open. */
export function declineCheckout(draft: Draft, id: string): void {
  const checkout = checkoutOf(draft, id);
  if (checkout.status === 'open') checkout.declined = true;
}

/** Expires an open checkout. @throws RefusedError invalid when it is not open */
export function expireCheckout(draft: Draft, id: string): void {
  const checkout = checkoutOf(draft, id);
  if (checkout.status !== 'open')
    throw invalid(`Only Checkout Sessions with a status of 'open' can be expired.`);
  checkout.status = 'expired';
  if (!draft.state.exists) draft.state.email = '';
  emitCheckout(draft, 'expired', checkout);
}
