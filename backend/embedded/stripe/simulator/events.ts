import type {
  ChargeState,
  CheckoutState,
  Draft,
  EventState,
  InvoiceState,
  SubscriptionState,
} from './state.ts';

function emit({ state, realNow, makeId }: Draft, type: string, object: EventState['object']): void {
  state.events.push({
    id: makeId('evt'),
    type,
    createdAt: realNow,
    object,
    attempts: 0,
    nextTryAt: realNow,
  });
}

/** Each event contains only the ids of its object, in the provider's form. */
export const emitCheckout = (draft: Draft, type: string, checkout: CheckoutState): void =>
  emit(draft, `checkout.session.${type}`, {
    id: checkout.id,
    object: 'checkout.session',
    customer: draft.state.exists ? draft.state.id : null,
    subscription: checkout.subscriptionId,
  });

export const emitSubscription = (
  draft: Draft,
  type: 'created' | 'updated' | 'deleted',
  subscription: SubscriptionState,
): void =>
  emit(draft, `customer.subscription.${type}`, {
    id: subscription.id,
    object: 'subscription',
    customer: draft.state.id,
  });

export const emitInvoice = (
  draft: Draft,
  type: 'paid' | 'payment_failed',
  invoice: InvoiceState,
): void =>
  emit(draft, `invoice.${type}`, {
    id: invoice.id,
    object: 'invoice',
    customer: draft.state.id,
    parent: { subscription_details: { subscription: invoice.subscriptionId } },
  });

export const emitRefund = (draft: Draft, charge: ChargeState): void =>
  emit(draft, 'charge.refunded', {
    id: charge.id,
    object: 'charge',
    customer: draft.state.id,
  });

/** A dispute has the id of its charge, and the charge the id of its customer. */
export const emitDispute = (draft: Draft, type: 'created' | 'closed', charge: ChargeState): void =>
  emit(draft, `charge.dispute.${type}`, {
    id: charge.dispute?.id,
    object: 'dispute',
    charge: charge.id,
  });
