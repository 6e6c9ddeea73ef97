import { declined, invalid, missing } from './errors.ts';
import { emitInvoice, emitSubscription } from './events.ts';
import { addInvoice, chargeInvoice, stopCollecting } from './invoices.ts';
import { periodEndAfter, remainder } from './periods.ts';
import type { Draft, InvoiceState, Price, SubscriptionState } from './state.ts';

export function priceOf(prices: readonly Price[], id: string): Price {
  const price = prices.find((each) => each.id === id);
  if (!price) throw missing('price', id);
  return price;
}

/** The line of an invoice for one period of a price. */
export const periodLine = ({ name, interval, amount }: Price): InvoiceState['lines'][number] => ({
  description: `${name} (${interval === 'month' ? 'monthly' : 'yearly'})`,
  amount,
});

export function subscriptionOf({ state }: Pick<Draft, 'state'>, id: string): SubscriptionState {
  const found = state.subscriptions.find((subscription) => subscription.id === id);
  if (!found) throw missing('subscription', id);
  return found;
}

/** A subscription that has not ended. */
function running(draft: Draft, id: string): SubscriptionState {
  const subscription = subscriptionOf(draft, id);
  if (subscription.status === 'canceled')
    throw invalid('A canceled subscription cannot be updated.');
  return subscription;
}

export function startSubscription(
  draft: Draft,
  { ownerId, price }: { ownerId: string; price: Price },
): SubscriptionState {
  const { state, now, makeId } = draft;
  const subscription: SubscriptionState = {
    id: makeId('sub'),
    itemId: makeId('si'),
    ownerId,
    priceId: price.id,
    status: 'active',
    createdAt: now,
    anchor: now,
    periodStartsAt: now,
    periodEndsAt: periodEndAfter(now, price.interval, now),
    cancelsAtPeriodEnd: false,
    schedule: null,
    latestInvoiceId: null,
  };
  state.subscriptions.push(subscription);
  const invoice = addInvoice(draft, subscription, [periodLine(price)]);
  if (!chargeInvoice(draft, invoice)) throw declined();
  emitSubscription(draft, 'created', subscription);
  emitInvoice(draft, 'paid', invoice);
  return subscription;
}

/**
 * Changes the price now: begins a new period and charges it, less the rest of the former one at `prorationDate`.
 * @throws RefusedError declined; then nothing has changed
 */
export function changePriceNow(
  draft: Draft,
  id: string,
  { priceId, prorationDate = draft.now }: { priceId: string; prorationDate?: Date | undefined },
): void {
  const subscription = running(draft, id);
  if (subscription.priceId === priceId) return;
  const { now } = draft;
  const lines = linesOfChange(draft, subscription, { priceId, prorationDate });
  subscription.priceId = priceId;
  subscription.anchor = now;
  subscription.periodStartsAt = now;
  subscription.periodEndsAt = periodEndAfter(now, priceOf(draft.prices, priceId).interval, now);
  const invoice = addInvoice(draft, subscription, lines);
  if (!chargeInvoice(draft, invoice)) throw declined();
  emitInvoice(draft, 'paid', invoice);
  emitSubscription(draft, 'updated', subscription);
}

/** The lines of the invoice that `changePriceNow` would add. */
export function linesOfChange(
  draft: Pick<Draft, 'now' | 'prices'>,
  subscription: SubscriptionState,
  { priceId, prorationDate }: { priceId: string; prorationDate: Date },
): InvoiceState['lines'] {
  const { periodStartsAt: startsAt, periodEndsAt: endsAt } = subscription;
  if (prorationDate < startsAt || prorationDate > endsAt)
    throw invalid('The proration date must be within the current subscription period.');
  const former = priceOf(draft.prices, subscription.priceId);
  const left = remainder(former.amount, { startsAt, endsAt, now: prorationDate });
  const unused = { description: `Unused time on ${former.name}`, amount: -left };
  return [unused, periodLine(priceOf(draft.prices, priceId))];
}

/** Attaches a schedule, which changes nothing yet. */
export function createSchedule(draft: Draft, id: string): string {
  const subscription = running(draft, id);
  if (subscription.schedule)
    throw invalid('You cannot migrate a subscription that is already attached to a schedule.');
  subscription.schedule = { id: draft.makeId('sub_sched'), nextPriceId: null };
  emitSubscription(draft, 'updated', subscription);
  return subscription.schedule.id;
}

/** The price of the next period. */
export function setNextPrice(draft: Draft, id: string, priceId: string): void {
  const { schedule, ...subscription } = running(draft, id);
  if (!schedule) throw invalid(`Subscription ${subscription.id} has no schedule.`);
  schedule.nextPriceId = priceOf(draft.prices, priceId).id;
  emitSubscription(draft, 'updated', subscriptionOf(draft, id));
}

/** Drops the schedule; the price stays. */
export function releaseSchedule(draft: Draft, id: string): void {
  const subscription = running(draft, id);
  if (!subscription.schedule) return;
  subscription.schedule = null;
  emitSubscription(draft, 'updated', subscription);
}

/** Cancels at the end of the period, or withdraws that. */
export function setCancellation(draft: Draft, id: string, cancels: boolean): void {
  const subscription = running(draft, id);
  if (subscription.cancelsAtPeriodEnd === cancels) return;
  if (subscription.schedule)
    throw invalid(`The subscription is managed by the schedule '${subscription.schedule.id}'.`);
  subscription.cancelsAtPeriodEnd = cancels;
  emitSubscription(draft, 'updated', subscription);
}

/** Ends a subscription at once. */
export function endSubscription(draft: Draft, subscription: SubscriptionState): void {
  if (subscription.status === 'canceled') return;
  subscription.status = 'canceled';
  subscription.schedule = null;
  stopCollecting(draft, subscription);
  emitSubscription(draft, 'deleted', subscription);
}

/** Ends every subscription and removes the customer's personal data. */
export function deleteCustomer(draft: Draft): void {
  const { state } = draft;
  for (const subscription of state.subscriptions) endSubscription(draft, subscription);
  Object.assign(state, { deleted: true, email: '', checkouts: [], portals: [], requests: [] });
}
