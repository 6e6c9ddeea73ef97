import { type Actor, requireRegistered } from '../../access/index.ts';
import type {
  BillingOverview,
  Invoice,
  PortalResult,
  UpgradeResult,
} from '../../contract/billing.ts';
import { GatewayError } from '../../payments/index.ts';
import { isSamePrice, isUpgrade, type Price } from './catalog.ts';
import type { CheckoutDeps, Checkouts } from './checkout.ts';
import { alreadySubscribed, noSubscription, refuseUnpaid } from './errors.ts';
import type { Subscription } from './model.ts';
import { presentBilling, presentInvoice } from './present.ts';

const INVOICE_LIMIT = 24;

type Running = Subscription & Price & { subscriptionId: string };

interface ChangeDeps extends CheckoutDeps {
  checkouts: Pick<Checkouts, 'startUpgrade'>;
}

export type Changes = ReturnType<typeof createChanges>;

/** What a subscriber can do: change the plan, cancel, resume, see invoices. Every call may reject with a GatewayError. */
export function createChanges(deps: ChangeDeps) {
  const { subscriptions, gateway, catalog, refresh, checkouts, now, baseUrl } = deps;

  const overviewOf = (subscription: Subscription | null): BillingOverview =>
    presentBilling(subscription, { now: now(), isTest: gateway.isTest });
  const refreshed = async ({ ownerId }: Subscription): Promise<BillingOverview> =>
    overviewOf((await refresh(ownerId)).subscription);

  /** @throws AppError no_subscription */
  const runningOf = async (ownerId: string): Promise<Running> => {
    const found = await subscriptions.findOf(ownerId);
    if (!found || !isRunning(found)) throw noSubscription();
    return found;
  };

  const changePrice = async (from: Running, price: Price, when: 'now' | 'periodEnd') => {
    const { ownerId, subscriptionId, version } = from;
    const priceId = catalog.priceId(price);
    // Two tabs that ask for the same change share the key, and the change is charged once.
    const idempotencyKey = `${subscriptionId}-${version}-${priceId}-${when}`;
    try {
      await gateway.changePrice({ subscriptionId, priceId, when, idempotencyKey });
    } catch (error) {
      // The provider repeats the refusal for the same key, also when the next card would be accepted.
      const isRefused = error instanceof GatewayError && error.reason !== 'unavailable';
      if (isRefused) await subscriptions.touch(ownerId);
      throw error;
    }
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
    else if (running.pendingChange) await changePrice(running, running, 'periodEnd');
  };

  const schedule = async (running: Running, price: Price): Promise<void> => {
    if (running.cancelsAt) await gateway.setCancellation(running.subscriptionId, false);
    await changePrice(running, price, 'periodEnd');
  };

  return {
    overview: async (actor: Actor): Promise<BillingOverview> =>
      overviewOf(await subscriptions.findOf(actor.userId)),

    /**
     * To Pro: at once and pro-rated with a subscription, else by a checkout.
     * @throws AppError already_subscribed when the user has Pro; payment_failed; forbidden for guests
     */
    upgrade: async (actor: Actor): Promise<UpgradeResult> => {
      requireRegistered(actor);
      const found = await subscriptions.findOf(actor.userId);
      if (found?.plan === 'pro') throw alreadySubscribed('You already have the Pro plan.');
      if (!found || !isRunning(found)) {
        const price = { plan: 'pro', interval: 'month' } as const;
        const checkoutUrl = await checkouts.startUpgrade(actor, price);
        return { checkoutUrl, plan: 'pro', message: 'Pay to upgrade to Pro.' };
      }
      refuseUnpaid(found);
      await changePrice(found, { plan: 'pro', interval: found.interval }, 'now');
      await refresh(actor.userId);
      return { plan: 'pro', message: 'You have the Pro plan now.' };
    },

    /**
     * Changes plan or interval: upgrades now, others at the end of the paid period. Choosing the present one takes back a
     * change or cancellation that waits for it.
     * @throws AppError no_subscription; payment_failed
     */
    change: async (actor: Actor, price: Price): Promise<BillingOverview> => {
      const running = await runningOf(actor.userId);
      if (isSamePrice(running, price)) await keepPrice(running);
      else if (!isSamePrice(running.pendingChange, price)) {
        refuseUnpaid(running);
        if (isUpgrade(running, price)) await changePrice(running, price, 'now');
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

const isRunning = (subscription: Subscription): subscription is Running =>
  subscription.subscriptionId !== null &&
  subscription.plan !== null &&
  subscription.interval !== null;
