import { type Actor, requireRegistered } from '../../access/index.ts';
import type {
  BillingOverview,
  ChangePreview,
  Invoice,
  PortalResult,
  Quote,
  UpgradeResult,
} from '../../contract/billing.ts';
import { type ChangePreview as Charge, GatewayError } from '../../payments/index.ts';
import { isSamePrice, isUpgrade, type Price } from './catalog.ts';
import type { CheckoutDeps, Checkouts } from './checkout.ts';
import { alreadySubscribed, noSubscription, priceChanged, refuseUnpaid } from './errors.ts';
import type { Subscription } from './model.ts';
import { presentBilling, presentInvoice, presentPreview } from './present.ts';

const INVOICE_LIMIT = 24;
/** An older preview credits time that has been used meanwhile. */
const QUOTE_LIFETIME_MS = 15 * 60_000;

type Running = Subscription & Price & { subscriptionId: string };

interface ChangeDeps extends CheckoutDeps {
  checkouts: Pick<Checkouts, 'startUpgrade'>;
  /** Whether no money moves. */
  isTest: boolean;
}

export type Changes = ReturnType<typeof createChanges>;

/** What a subscriber can do: change the plan, cancel, resume, see invoices. Every call may reject with a GatewayError. */
export function createChanges(deps: ChangeDeps) {
  const { subscriptions, gateway, catalog, refresh, checkouts, now, baseUrl, isTest } = deps;

  const overviewOf = (subscription: Subscription | null): BillingOverview =>
    presentBilling(subscription, { now: now(), isTest });
  const refreshed = async ({ ownerId }: Subscription): Promise<BillingOverview> =>
    overviewOf((await refresh(ownerId)).subscription);

  /** @throws AppError no_subscription */
  const runningOf = async (ownerId: string): Promise<Running> => {
    const found = await subscriptions.findOf(ownerId);
    if (!found || !isRunning(found)) throw noSubscription();
    return found;
  };

  const isPriceOf = async (ownerId: string, price: Price): Promise<boolean> =>
    isSamePrice(priceOf((await refresh(ownerId)).subscription), price);

  const changePrice = async (
    { ownerId, subscriptionId, version }: Running,
    price: Price,
    how: { when: 'now' | 'periodEnd'; prorationDate?: Date },
  ) => {
    const priceId = catalog.priceId(price);
    // Two tabs that ask for the same change share the key, and the change is charged once.
    const idempotencyKey = `${subscriptionId}-${version}-${priceId}-${how.when}`;
    try {
      await gateway.changePrice({ subscriptionId, priceId, idempotencyKey, ...how });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.reason === 'unavailable') throw error;
      // The other tab's preview is of another second: the provider refuses the key, and the change is made.
      if (error.reason === 'invalid' && (await isPriceOf(ownerId, price))) return;
      // The provider repeats the refusal for the same key, also when the next card would be accepted.
      await subscriptions.touch(ownerId);
      throw error;
    }
  };

  const previewOf = (
    { subscriptionId }: Running,
    price: Price,
    how: { when: 'now' | 'periodEnd'; prorationDate?: Date },
  ): Promise<Charge> =>
    gateway.previewChange({ subscriptionId, priceId: catalog.priceId(price), ...how });

  const isStillCharged = async (running: Running, price: Price, quote: Quote): Promise<boolean> => {
    const prorationDate = new Date(quote.prorationDate);
    if (prorationDate.getTime() < now().getTime() - QUOTE_LIFETIME_MS) return false;
    try {
      const { amount } = await previewOf(running, price, { when: 'now', prorationDate });
      return amount === quote.amount;
    } catch (error) {
      // A new paid period has begun since.
      if (error instanceof GatewayError && error.reason === 'invalid') return false;
      throw error;
    }
  };

  /** Changes the price now, for the amount of `quote`. @throws AppError price_changed when it would be another one */
  const upgradeTo = async (running: Running, price: Price, quote?: Quote): Promise<void> => {
    if (!quote) return changePrice(running, price, { when: 'now' });
    if (await isStillCharged(running, price, quote)) {
      const prorationDate = new Date(quote.prorationDate);
      return changePrice(running, price, { when: 'now', prorationDate });
    }
    // Another tab may have made this very change.
    if (!(await isPriceOf(running.ownerId, price))) throw priceChanged();
  };

  const setCancellation = async (actor: Actor, cancels: boolean): Promise<BillingOverview> => {
    const running = await runningOf(actor.userId);
    if ((running.cancelsAt !== null) !== cancels)
      await gateway.setCancellation(running.subscriptionId, cancels);
    return refreshed(running);
  };

  /** Takes back whatever would happen at the end of the paid period. */
  const keepPrice = async (running: Running): Promise<void> => {
    if (running.cancelsAt) await gateway.setCancellation(running.subscriptionId, false);
    else if (running.pendingChange) await changePrice(running, running, { when: 'periodEnd' });
  };

  const schedule = async (running: Running, price: Price): Promise<void> => {
    if (running.cancelsAt) await gateway.setCancellation(running.subscriptionId, false);
    await changePrice(running, price, { when: 'periodEnd' });
  };

  return {
    overview: async (actor: Actor): Promise<BillingOverview> =>
      overviewOf(await subscriptions.findOf(actor.userId)),

    /**
     * What a change to `price` charges, and when; without a subscription, what the payment page will.
     * @throws AppError payment_failed while a payment is missing; forbidden for guests
     */
    preview: async (
      actor: Actor,
      { plan, interval }: Pick<Price, 'plan'> & { interval?: Price['interval'] | undefined },
    ): Promise<ChangePreview> => {
      requireRegistered(actor);
      const found = await subscriptions.findOf(actor.userId);
      const price = { plan, interval: interval ?? found?.interval ?? 'month' };
      if (!found || !isRunning(found)) return presentPreview({ price, now: now() });
      refuseUnpaid(found);
      const when = isUpgrade(found, price) ? 'now' : 'periodEnd';
      const charge = await previewOf(found, price, { when });
      return presentPreview({ price, now: now(), change: { from: found, charge, when } });
    },

    /**
     * To Pro: at once with a subscription, else by a checkout.
     * @throws AppError already_subscribed when the user has Pro; payment_failed; price_changed; forbidden for guests
     */
    upgrade: async (actor: Actor, quote?: Quote): Promise<UpgradeResult> => {
      requireRegistered(actor);
      const found = await subscriptions.findOf(actor.userId);
      if (found?.plan === 'pro') throw alreadySubscribed('You already have the Pro plan.');
      if (!found || !isRunning(found)) {
        const price = { plan: 'pro', interval: 'month' } as const;
        const checkoutUrl = await checkouts.startUpgrade(actor, price);
        return { checkoutUrl, plan: 'pro', message: 'Pay to upgrade to Pro.' };
      }
      refuseUnpaid(found);
      await upgradeTo(found, { plan: 'pro', interval: found.interval }, quote);
      await refresh(actor.userId);
      return { plan: 'pro', message: 'You have the Pro plan now.' };
    },

    /**
     * Changes plan or interval: upgrades now, others at the end of the paid period. Choosing the present one takes back a
     * change or cancellation that waits for it.
     * @throws AppError no_subscription; payment_failed; price_changed
     */
    change: async (actor: Actor, price: Price, quote?: Quote): Promise<BillingOverview> => {
      const running = await runningOf(actor.userId);
      if (isSamePrice(running, price)) await keepPrice(running);
      else if (!isSamePrice(running.pendingChange, price)) {
        refuseUnpaid(running);
        if (isUpgrade(running, price)) await upgradeTo(running, price, quote);
        else await schedule(running, price);
      }
      return refreshed(running);
    },

    /** Cancels at the end of the paid period. @throws AppError no_subscription */
    cancel: (actor: Actor): Promise<BillingOverview> => setCancellation(actor, true),

    /** Takes a cancellation back. @throws AppError no_subscription */
    resume: (actor: Actor): Promise<BillingOverview> => setCancellation(actor, false),

    /** @throws AppError no_subscription when the provider does not know the user */
    portal: async (actor: Actor): Promise<PortalResult> => {
      const customerId = (await subscriptions.findOf(actor.userId))?.customerIds[0];
      if (customerId === undefined) throw noSubscription();
      const { url } = await gateway.createPortal({ customerId, returnUrl: `${baseUrl}/settings` });
      return { url };
    },

    /** The latest first. */
    invoices: async (actor: Actor): Promise<Invoice[]> => {
      const customerIds = (await subscriptions.findOf(actor.userId))?.customerIds ?? [];
      const lists = await Promise.all(
        customerIds.map((customerId) => gateway.listInvoices(customerId, INVOICE_LIMIT)),
      );
      return lists
        .flat()
        .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, INVOICE_LIMIT)
        .map(presentInvoice);
    },
  };
}

const priceOf = (subscription: Subscription): Price | null =>
  isRunning(subscription) ? subscription : null;

const isRunning = (subscription: Subscription): subscription is Running =>
  subscription.subscriptionId !== null &&
  subscription.plan !== null &&
  subscription.interval !== null;
