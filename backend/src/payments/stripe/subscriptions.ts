import type { Stripe } from 'stripe';
import type { InvoiceStatus } from '../../contract/billing.ts';
import type { ChangePreview, PaymentGateway, SubscriptionSnapshot } from '../port.ts';
import { dateOf, secondsOf } from './client.ts';
import { isMissing, orNull } from './errors.ts';
import {
  changeAtPeriodEnd,
  changeNow,
  dropPendingChange,
  proratedChange,
  storeCancellation,
} from './price-changes.ts';
import { EXPANSIONS, snapshotOf } from './snapshot.ts';

const PAGE = 100;
const LIST = {
  status: 'all' as const,
  limit: PAGE,
  expand: EXPANSIONS.map((path) => `data.${path}`),
};

type StatusOf = (invoice: Stripe.Invoice) => Promise<InvoiceStatus>;

interface Options {
  statusOf: StatusOf;
  now: () => Date;
}

export const createSubscriptions = (stripe: Stripe, options: Options) => ({
  ...reads(stripe, options),
  ...changes(stripe, options),
});

function reads(stripe: Stripe, { statusOf, now }: Options) {
  const { subscriptions } = stripe;
  return {
    findSubscription: async (id) => {
      const found = await orNull(retrieve(stripe, id));
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
  } satisfies Partial<PaymentGateway>;
}

function changes(stripe: Stripe, { statusOf }: Options) {
  const { subscriptions } = stripe;
  const current = async (id: string): Promise<SubscriptionSnapshot> =>
    snapshotOf(await retrieve(stripe, id), statusOf);
  return {
    changePrice: async (change) => {
      const { subscriptionId: id, priceId, when, prorationDate, idempotencyKey } = change;
      const subscription = await retrieve(stripe, id);
      if (when === 'now')
        await changeNow(stripe, subscription, { priceId, prorationDate, idempotencyKey });
      else await changeAtPeriodEnd(stripe, subscription, { priceId, idempotencyKey });
      return current(id);
    },

    setCancellation: async (id, cancels) => {
      const subscription = await retrieve(stripe, id);
      if (cancels) await dropPendingChange(stripe, subscription);
      await storeCancellation(stripe, subscription, cancels);
      return current(id);
    },

    cancelNow: async (id) => {
      const { status } = await subscriptions.retrieve(id);
      if (status === 'canceled' || status === 'incomplete_expired') return;
      // It may have ended in between: then Stripe does not find it among the running ones.
      await orNull(subscriptions.cancel(id));
    },
  } satisfies Partial<PaymentGateway>;
}

const retrieve = ({ subscriptions }: Stripe, id: string) =>
  subscriptions.retrieve(id, { expand: EXPANSIONS });

const previewOf = (
  { amount_due: amount, total, starting_balance: balance, currency }: Stripe.Invoice,
  prorationDate: Date,
): ChangePreview => ({ prorationDate, amount, credit: Math.max(0, -(total + balance)), currency });
