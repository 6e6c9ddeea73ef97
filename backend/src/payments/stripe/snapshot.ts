import type { Stripe } from 'stripe';
import type { InvoiceStatus } from '../../contract/billing.ts';
import type { GatewayStatus, SubscriptionSnapshot } from '../port.ts';
import { dateOf, idOf } from './client.ts';

/** The expanded fields that `snapshotOf` needs. A list has one level more, and Stripe expands four at most. */
export const EXPANSIONS = ['latest_invoice.payments', 'schedule'];

const STATUS = new Map<string, GatewayStatus>([
  ['trialing', 'active'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['paused', 'unpaid'],
  ['incomplete', 'incomplete'],
  ['incomplete_expired', 'ended'],
  ['canceled', 'ended'],
]);

/** The item of a subscription: STOLAS sells one price at a time. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const item = items.data[0];
  if (!item) throw new Error(`Subscription ${id} has no item.`);
  return item;
}

/** The price of the phase that begins after the current period. */
function pendingPriceOf(subscription: Stripe.Subscription): string | null {
  const { schedule } = subscription;
  if (!schedule || typeof schedule === 'string') return null;
  const { current_period_end: end, price } = itemOf(subscription);
  const next = schedule.phases.find((phase) => phase.start_date >= end)?.items[0]?.price;
  return next === undefined || idOf(next) === price.id ? null : idOf(next);
}

export async function snapshotOf(
  subscription: Stripe.Subscription,
  invoiceStatus: (invoice: Stripe.Invoice) => Promise<InvoiceStatus>,
): Promise<SubscriptionSnapshot> {
  const { id, customer, metadata, status, latest_invoice: invoice } = subscription;
  const { price, current_period_start, current_period_end } = itemOf(subscription);
  const cancelsAt =
    subscription.cancel_at ?? (subscription.cancel_at_period_end ? current_period_end : null);
  return {
    id,
    customerId: idOf(customer),
    ownerId: metadata.ownerId ?? null,
    status: STATUS.get(status) ?? 'incomplete',
    priceId: price.id,
    startedAt: dateOf(subscription.start_date),
    anchoredAt: dateOf(subscription.billing_cycle_anchor),
    periodStartsAt: dateOf(current_period_start),
    periodEndsAt: dateOf(current_period_end),
    cancelsAt: cancelsAt === null ? null : dateOf(cancelsAt),
    pendingPriceId: pendingPriceOf(subscription),
    latestInvoice:
      invoice && typeof invoice !== 'string'
        ? { id: invoice.id, status: await invoiceStatus(invoice) }
        : null,
  };
}
