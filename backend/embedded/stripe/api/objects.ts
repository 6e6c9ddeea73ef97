import { secondsOf as seconds } from '../simulator/periods.ts';
import type { Provider } from '../simulator/simulator.ts';
import type {
  ChargeState,
  CheckoutState,
  CustomerState,
  DisputeState,
  InvoiceState,
  SubscriptionState,
} from '../simulator/state.ts';
import { Expandable, Included } from './expand.ts';

// The fields that the product reads.

export const list = (data: readonly object[], hasMore = false) => ({
  object: 'list',
  has_more: hasMore,
  data,
});

export const sessionObject = (
  state: CustomerState,
  checkout: CheckoutState,
  { pagesUrl }: Provider,
) => ({
  id: checkout.id,
  object: 'checkout.session',
  client_reference_id: checkout.ownerId,
  customer: state.exists ? state.id : null,
  subscription: checkout.subscriptionId,
  status: checkout.status,
  url:
    checkout.embedded || checkout.status !== 'open'
      ? null
      : `${pagesUrl}/test-checkout/${checkout.id}`,
  client_secret: checkout.embedded ? `${checkout.id}_secret_1` : null,
});

export function subscriptionObject(
  state: CustomerState,
  subscription: SubscriptionState,
  provider: Provider,
) {
  const { id, schedule, latestInvoiceId, cancelsAtPeriodEnd, periodEndsAt } = subscription;
  const invoice = state.invoices.find((each) => each.id === latestInvoiceId);
  return {
    id,
    object: 'subscription',
    customer: new Expandable(state.id, () => ({
      id: state.id,
      object: 'customer',
      balance: -state.credit,
    })),
    currency: 'usd',
    status: subscription.status,
    start_date: seconds(subscription.createdAt),
    billing_cycle_anchor: seconds(subscription.anchor),
    cancel_at_period_end: cancelsAtPeriodEnd,
    cancel_at: cancelsAtPeriodEnd ? seconds(periodEndsAt) : null,
    metadata: { ownerId: subscription.ownerId },
    items: list([
      {
        id: subscription.itemId,
        object: 'subscription_item',
        current_period_start: seconds(subscription.periodStartsAt),
        current_period_end: seconds(periodEndsAt),
        price: { id: subscription.priceId, object: 'price' },
      },
    ]),
    latest_invoice: invoice
      ? new Expandable(invoice.id, () => invoiceObject(invoice, provider))
      : null,
    schedule: schedule && new Expandable(schedule.id, () => scheduleObject(subscription)),
  };
}

export function scheduleObject(subscription: SubscriptionState) {
  const { schedule, priceId, periodStartsAt, periodEndsAt } = subscription;
  const next = schedule?.nextPriceId;
  const present = { start_date: seconds(periodStartsAt) };
  const later = { start_date: seconds(periodEndsAt) };
  return {
    id: schedule?.id,
    object: 'subscription_schedule',
    current_phase: present,
    phases: [
      { ...present, items: [{ price: priceId }] },
      ...(next ? [{ ...later, items: [{ price: next }] }] : []),
    ],
  };
}

export const invoiceObject = (invoice: InvoiceState, { pagesUrl }: Provider) => ({
  id: invoice.id,
  object: 'invoice',
  number: invoice.number,
  created: seconds(invoice.createdAt),
  currency: 'usd',
  description: null,
  status: invoice.status,
  amount_due: invoice.amountDue,
  attempt_count: invoice.attempts,
  hosted_invoice_url: `${pagesUrl}/test-invoice/${invoice.id}`,
  lines: list(invoice.lines.map(({ description }) => ({ object: 'line_item', description }))),
  payments: new Included(() => list(paymentsOf(invoice))),
});

const paymentsOf = ({ charge }: InvoiceState) =>
  charge
    ? [
        {
          object: 'invoice_payment',
          status: 'paid',
          payment: { type: 'payment_intent', payment_intent: charge.paymentIntentId },
        },
      ]
    : [];

export const chargeObject = (state: CustomerState, charge: ChargeState) => ({
  id: charge.id,
  object: 'charge',
  customer: state.id,
  payment_intent: charge.paymentIntentId,
  status: 'succeeded',
  amount: charge.amount,
  amount_refunded: charge.refunded,
  // Stays true after a dispute was won.
  disputed: charge.dispute !== null,
});

export const disputeObject = ({ id, status }: DisputeState) => ({ id, object: 'dispute', status });
