import type { Stripe } from 'stripe';
import type { InvoiceStatus } from '../../contract/billing.ts';
import type { ChangePreview, PaymentGateway, SubscriptionSnapshot } from '../port.ts';
import { dateOf, idOf, secondsOf } from './client.ts';
import { isMissing, orNull } from './errors.ts';
import { EXPANSIONS, itemOf, snapshotOf } from './snapshot.ts';

const PAGE = 100;
const LIST = {
  status: 'all' as const,
  limit: PAGE,
  expand: EXPANSIONS.map((path) => `data.${path}`),
};

type StatusOf = (invoice: Stripe.Invoice) => Promise<InvoiceStatus>;

export function createSubscriptions(
  stripe: Stripe,
  { statusOf, now }: { statusOf: StatusOf; now: () => Date },
) {
  const { subscriptions } = stripe;
  const retrieve = (id: string) => subscriptions.retrieve(id, { expand: EXPANSIONS });
  const current = async (id: string): Promise<SubscriptionSnapshot> =>
    snapshotOf(await retrieve(id), statusOf);
  const changes = createChanges(stripe);

  return {
    findSubscription: async (id) => {
      const found = await orNull(retrieve(id));
      return found && snapshotOf(found, statusOf);
    },

    listSubscriptions: async (customer) => {
      const found: SubscriptionSnapshot[] = [];
      try {
        for await (const subscription of subscriptions.list({ ...LIST, customer }))
          found.push(await snapshotOf(subscription, statusOf));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      return found;
    },

    allSubscriptions: async function* () {
      for await (const subscription of subscriptions.list(LIST))
        yield snapshotOf(subscription, statusOf);
    },

    changePrice: async (change) => {
      const { subscriptionId: id, priceId, when, prorationDate, idempotencyKey } = change;
      const subscription = await retrieve(id);
      if (when === 'now')
        await changes.now(subscription, { priceId, prorationDate, idempotencyKey });
      else await changes.atPeriodEnd(subscription, { priceId, idempotencyKey });
      return current(id);
    },

    previewChange: async ({ subscriptionId: id, priceId, when, prorationDate = now() }) => {
      const subscription = await subscriptions.retrieve(id, { expand: ['customer'] });
      const { customer } = subscription;
      if (when === 'now') {
        const preview = await stripe.invoices.createPreview({
          subscription: id,
          subscription_details: proratedChange(subscription, { priceId, prorationDate }),
        });
        return previewOf(preview, dateOf(secondsOf(prorationDate)));
      }
      const balance = typeof customer === 'string' || customer.deleted ? 0 : customer.balance;
      const credit = Math.max(0, -balance);
      return { prorationDate, amount: 0, credit, currency: subscription.currency };
    },

    setCancellation: async (id, cancels) => {
      const subscription = await retrieve(id);
      if (cancels) await changes.release(subscription);
      await changes.setCancellation(subscription, cancels);
      return current(id);
    },

    cancelNow: async (id) => {
      const { status } = await subscriptions.retrieve(id);
      if (status === 'canceled' || status === 'incomplete_expired') return;
      // It may have ended in between: then Stripe does not find it among those that run.
      await orNull(subscriptions.cancel(id));
    },
  } satisfies Partial<PaymentGateway>;
}

interface ProratedChange {
  priceId: string;
  prorationDate?: Date | undefined;
}

/** What preview and change ask for alike: a new period now, charged at once, with credit for the unused time. */
const proratedChange = (
  subscription: Stripe.Subscription,
  { priceId, prorationDate }: ProratedChange,
) => ({
  items: [{ id: itemOf(subscription).id, price: priceId }],
  billing_cycle_anchor: { type: 'now' as const },
  proration_behavior: 'always_invoice' as const,
  ...(prorationDate && { proration_date: secondsOf(prorationDate) }),
});

const previewOf = (
  { amount_due: amount, total, starting_balance: balance, currency }: Stripe.Invoice,
  prorationDate: Date,
): ChangePreview => ({ prorationDate, amount, credit: Math.max(0, -(total + balance)), currency });

/**
 * Changes of a subscription. Each is a sequence of requests that a repetition completes: what was done before is found
 * done, or is answered again by its idempotency key.
 */
function createChanges({ subscriptions, subscriptionSchedules: schedules }: Stripe) {
  /** Drops a pending change of price. */
  const release = async ({ schedule }: Stripe.Subscription): Promise<void> => {
    if (schedule) await schedules.release(idOf(schedule));
  };

  const setCancellation = async (
    { id, cancel_at_period_end: isSet, cancel_at: at }: Stripe.Subscription,
    cancels: boolean,
  ): Promise<void> => {
    if (cancels && !isSet) await subscriptions.update(id, { cancel_at_period_end: true });
    // The portal may set a date instead.
    if (!cancels && isSet) await subscriptions.update(id, { cancel_at_period_end: false });
    else if (!cancels && at !== null) await subscriptions.update(id, { cancel_at: '' });
  };

  return {
    release,
    setCancellation,

    /** Charges first: when the card is declined, a pending change and a cancellation stay. */
    now: async (
      subscription: Stripe.Subscription,
      { idempotencyKey, ...change }: ProratedChange & { idempotencyKey: string },
    ): Promise<void> => {
      // A repetition must not begin another period.
      if (itemOf(subscription).price.id !== change.priceId)
        await subscriptions.update(
          subscription.id,
          { ...proratedChange(subscription, change), payment_behavior: 'error_if_incomplete' },
          { idempotencyKey: `change-${idempotencyKey}` },
        );
      await release(subscription);
      await setCancellation(subscription, false);
    },

    atPeriodEnd: async (
      subscription: Stripe.Subscription,
      { priceId, idempotencyKey }: { priceId: string; idempotencyKey: string },
    ): Promise<void> => {
      const { price, current_period_end: end } = itemOf(subscription);
      if (price.id === priceId) {
        await release(subscription);
        return;
      }
      await setCancellation(subscription, false);
      const schedule = subscription.schedule
        ? await schedules.retrieve(idOf(subscription.schedule))
        : await schedules.create(
            { from_subscription: subscription.id },
            { idempotencyKey: `schedule-${idempotencyKey}` },
          );
      const startsAt =
        schedule.current_phase?.start_date ?? itemOf(subscription).current_period_start;
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
    },
  };
}
