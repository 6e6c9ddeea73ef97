import { addMonths, secondsOf as seconds } from '../simulator/periods.ts';
import type { Provider } from '../simulator/simulator.ts';
import type {
  ChargeState,
  CheckoutState,
  CustomerState,
  InvoiceState,
  SubscriptionState,
} from '../simulator/state.ts';
import { priceOf } from '../simulator/subscriptions.ts';
import { Expandable, Included } from './expand.ts';

const secondsOrNull = (date: Date | null): number | null => date && seconds(date);

export const list = (url: string, data: readonly object[], hasMore = false) => ({
  object: 'list',
  url,
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
  mode: 'subscription',
  client_reference_id: checkout.ownerId,
  customer: state.exists ? state.id : null,
  customer_email: state.email,
  subscription: checkout.subscriptionId,
  status: checkout.status,
  ui_mode: checkout.embedded ? 'elements' : 'hosted_page',
  url:
    checkout.embedded || checkout.status !== 'open'
      ? null
      : `${pagesUrl}/test-checkout/${checkout.id}`,
  client_secret: checkout.embedded ? `${checkout.id}_secret_1` : null,
  created: seconds(checkout.createdAt),
  expires_at: seconds(checkout.expiresAt),
});

export function subscriptionObject(
  state: CustomerState,
  subscription: SubscriptionState,
  provider: Provider,
) {
  const { id, schedule, latestInvoiceId, cancelsAtPeriodEnd, periodEndsAt } = subscription;
  const invoice = state.invoices.find((each) => each.id === latestInvoiceId);
  const price = priceOf(provider.simulator.prices, subscription.priceId);
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
    created: seconds(subscription.createdAt),
    start_date: seconds(subscription.createdAt),
    billing_cycle_anchor: seconds(subscription.anchor),
    cancel_at_period_end: cancelsAtPeriodEnd,
    cancel_at: cancelsAtPeriodEnd ? seconds(periodEndsAt) : null,
    ended_at: secondsOrNull(subscription.endedAt),
    metadata: { ownerId: subscription.ownerId },
    items: list(`/v1/subscription_items?subscription=${id}`, [
      {
        id: subscription.itemId,
        object: 'subscription_item',
        subscription: id,
        quantity: 1,
        current_period_start: seconds(subscription.periodStartsAt),
        current_period_end: seconds(periodEndsAt),
        price: {
          id: price.id,
          object: 'price',
          currency: 'usd',
          unit_amount: price.amount,
          recurring: { interval: price.interval, interval_count: 1 },
        },
      },
    ]),
    latest_invoice: invoice
      ? new Expandable(invoice.id, () => invoiceObject(state, invoice, provider))
      : null,
    schedule: schedule && new Expandable(schedule.id, () => scheduleObject(subscription)),
  };
}

export function scheduleObject(subscription: SubscriptionState) {
  const { schedule, id, priceId, periodStartsAt, periodEndsAt } = subscription;
  const next = schedule?.nextPriceId;
  const items = (price: string) => [{ price, plan: price, quantity: 1 }];
  const present = { start_date: seconds(periodStartsAt), end_date: seconds(periodEndsAt) };
  const later = {
    start_date: seconds(periodEndsAt),
    end_date: seconds(addMonths(periodEndsAt, 1)),
  };
  return {
    id: schedule?.id,
    object: 'subscription_schedule',
    status: 'active',
    subscription: id,
    end_behavior: 'release',
    current_phase: present,
    phases: [
      { ...present, items: items(priceId) },
      ...(next ? [{ ...later, items: items(next) }] : []),
    ],
  };
}

export const invoiceObject = (
  state: CustomerState,
  invoice: InvoiceState,
  { pagesUrl }: Provider,
) => ({
  id: invoice.id,
  object: 'invoice',
  customer: state.id,
  number: invoice.number,
  created: seconds(invoice.createdAt),
  currency: 'usd',
  description: null,
  status: invoice.status,
  amount_due: invoice.amountDue,
  amount_paid: invoice.charge?.amount ?? 0,
  attempt_count: invoice.attempts,
  attempted: invoice.attempts > 0,
  hosted_invoice_url: `${pagesUrl}/test-invoice/${invoice.id}`,
  lines: list(
    `/v1/invoices/${invoice.id}/lines`,
    invoice.lines.map(({ description, amount }, n) => ({
      id: `il_${invoice.id}_${n}`,
      object: 'line_item',
      description,
      amount,
    })),
  ),
  parent: {
    type: 'subscription_details',
    subscription_details: { subscription: invoice.subscriptionId },
  },
  payments: new Included(() => list('/v1/invoice_payments', paymentsOf(invoice))),
});

const paymentsOf = ({ id, charge }: InvoiceState) =>
  charge
    ? [
        {
          id: `inpay_${charge.id}`,
          object: 'invoice_payment',
          invoice: id,
          status: 'paid',
          amount_paid: charge.amount,
          payment: { type: 'payment_intent', payment_intent: charge.paymentIntentId },
        },
      ]
    : [];

export const chargeObject = (state: CustomerState, charge: ChargeState) => ({
  id: charge.id,
  object: 'charge',
  customer: state.id,
  payment_intent: charge.paymentIntentId,
  currency: 'usd',
  status: 'succeeded',
  paid: true,
  amount: charge.amount,
  amount_refunded: charge.refunded,
  refunded: charge.refunded === charge.amount,
  // Stays true after a dispute was won.
  disputed: charge.dispute !== null,
});

export const disputeObject = ({ id, paymentIntentId, amount, dispute }: ChargeState) => ({
  id: dispute?.id,
  object: 'dispute',
  charge: id,
  payment_intent: paymentIntentId,
  amount,
  currency: 'usd',
  status: dispute?.status,
});
