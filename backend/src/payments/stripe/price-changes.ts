import type { Stripe } from 'stripe';
import { idOf, secondsOf } from './client.ts';
import { itemOf } from './snapshot.ts';

// Changes of a subscription. Each is a sequence of requests that a repetition completes: an earlier step is detected, or answered again by
// its idempotency key.

interface ProratedChange {
  priceId: string;
  prorationDate?: Date | undefined;
}

/** The common parameters of preview and change: a new period now, charged at once, with credit for the unused time. */
export const proratedChange = (
  subscription: Stripe.Subscription,
  { priceId, prorationDate }: ProratedChange,
) => ({
  items: [{ id: itemOf(subscription).id, price: priceId }],
  billing_cycle_anchor: { type: 'now' as const },
  proration_behavior: 'always_invoice' as const,
  ...(prorationDate && { proration_date: secondsOf(prorationDate) }),
});

/** Charges first: when the card is declined, a pending change and a cancellation stay. */
export async function changeNow(
  stripe: Stripe,
  subscription: Stripe.Subscription,
  { idempotencyKey, ...change }: ProratedChange & { idempotencyKey: string },
): Promise<void> {
  // A repetition must not begin another period.
  if (itemOf(subscription).price.id !== change.priceId)
    await stripe.subscriptions.update(
      subscription.id,
      { ...proratedChange(subscription, change), payment_behavior: 'error_if_incomplete' },
      { idempotencyKey: `change-${idempotencyKey}` },
    );
  await dropPendingChange(stripe, subscription);
  await storeCancellation(stripe, subscription, false);
}

/** Changes the price when the paid period ends; the current price drops a pending change. */
export async function changeAtPeriodEnd(
  stripe: Stripe,
  subscription: Stripe.Subscription,
  { priceId, idempotencyKey }: { priceId: string; idempotencyKey: string },
): Promise<void> {
  const { price, current_period_start: start, current_period_end: end } = itemOf(subscription);
  if (price.id === priceId) return dropPendingChange(stripe, subscription);
  await storeCancellation(stripe, subscription, false);
  const { subscriptionSchedules: schedules } = stripe;
  const schedule = subscription.schedule
    ? await schedules.retrieve(idOf(subscription.schedule))
    : await schedules.create(
        { from_subscription: subscription.id },
        { idempotencyKey: `schedule-${idempotencyKey}` },
      );
  const startsAt = schedule.current_phase?.start_date ?? start;
  await schedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      { items: [{ price: price.id, quantity: 1 }], start_date: startsAt, end_date: end },
      {
        items: [{ price: priceId, quantity: 1 }],
        start_date: end,
        duration: { interval: 'month', interval_count: 1 },
        proration_behavior: 'none',
      },
    ],
  });
}

/** Drops a pending change of price. */
export async function dropPendingChange(
  { subscriptionSchedules }: Stripe,
  { schedule }: Stripe.Subscription,
): Promise<void> {
  if (schedule) await subscriptionSchedules.release(idOf(schedule));
}

/** Cancels at the end of the paid period, or withdraws the cancellation. */
export async function storeCancellation(
  { subscriptions }: Stripe,
  { id, cancel_at_period_end: isSet, cancel_at: at }: Stripe.Subscription,
  cancels: boolean,
): Promise<void> {
  if (cancels && !isSet) await subscriptions.update(id, { cancel_at_period_end: true });
  // The portal may set a date instead.
  if (!cancels && isSet) await subscriptions.update(id, { cancel_at_period_end: false });
  else if (!cancels && at !== null) await subscriptions.update(id, { cancel_at: '' });
}
