import { type Actor, requireRegistered } from '../../access/index.ts';
import type {
  BillingOverview,
  ChangePreview,
  Invoice,
  PortalResult,
  Quote,
  UpgradeResult,
} from '../../contract/billing.ts';
import { isUpgrade } from '../../contract/plans.ts';
import { type ChangePreview as Charge, GatewayError } from '../../payments/index.ts';
import { isSamePrice, type Price } from './catalog.ts';
import { startUpgradeCheckout } from './checkout.ts';
import { alreadySubscribed, noSubscription, priceChanged, refuseUnpaid } from './errors.ts';
import type { BillingFeature } from './feature.ts';
import type { Subscription } from './model.ts';
import { presentBilling, presentInvoice, presentPreview } from './present.ts';
import { currentSubscription, refreshSubscription } from './refresh.ts';

// The calls of a subscriber. Every function may reject with a GatewayError; those that pay or change as `currentSubscription` does.

const INVOICE_LIMIT = 24;
/** An older preview would credit time that has been used since. */
const QUOTE_LIFETIME_MS = 15 * 60_000;

type Running = Subscription & Price & { subscriptionId: string };

interface When {
  when: 'now' | 'periodEnd';
  prorationDate?: Date;
}

export const readOverview = async (
  billing: BillingFeature,
  { userId }: Actor,
): Promise<BillingOverview> => overviewOf(billing, await billing.subscriptions.findOf(userId));

/**
 * The amount and date of a change to `price`; without a subscription, those of the payment page.
 * @throws AppError payment_failed while a payment is missing; forbidden for guests
 */
export async function previewChange(
  billing: BillingFeature,
  actor: Actor,
  { plan, interval }: Pick<Price, 'plan'> & { interval?: Price['interval'] | undefined },
): Promise<ChangePreview> {
  const { now } = billing;
  requireRegistered(actor);
  const found = await currentSubscription(billing, actor.userId);
  const price = { plan, interval: interval ?? found?.interval ?? 'month' };
  if (!found || !isRunning(found)) return presentPreview({ price, now: now() });
  refuseUnpaid(found);
  const when = isUpgrade(found, price) ? 'now' : 'periodEnd';
  const charge = await chargeFor(billing, found, { price, when });
  return presentPreview({ price, now: now(), change: { from: found, charge, when } });
}

/**
 * Upgrades to Pro: at once with a subscription, else by a checkout.
 * @throws AppError already_subscribed when the user has Pro; payment_failed; price_changed; forbidden for guests
 */
export async function upgradeToPro(
  billing: BillingFeature,
  actor: Actor,
  quote?: Quote | null,
): Promise<UpgradeResult> {
  requireRegistered(actor);
  const found = await currentSubscription(billing, actor.userId);
  if (found?.plan === 'pro') throw alreadySubscribed('You already have the Pro plan.');
  if (!found || !isRunning(found)) {
    const price = { plan: 'pro', interval: 'month' } as const;
    const checkoutUrl = await startUpgradeCheckout(billing, actor, price);
    return { checkoutUrl, plan: 'pro', message: 'Pay to upgrade to Pro.' };
  }
  refuseUnpaid(found);
  // The user expected the payment page: a subscription has begun since.
  if (quote === null) throw priceChanged();
  await upgradeNow(billing, found, { price: { plan: 'pro', interval: found.interval }, quote });
  await refreshSubscription(billing, actor.userId);
  return { plan: 'pro', message: 'You have the Pro plan now.' };
}

/**
 * Changes plan or interval: upgrades now, other changes at the end of the paid period. Choosing the current price cancels a pending change
 * or cancellation.
 * @throws AppError no_subscription; payment_failed; price_changed, also for an upgrade without a quote
 */
export async function changePlan(
  billing: BillingFeature,
  actor: Actor,
  { quote, ...price }: Price & { quote?: Quote | undefined },
): Promise<BillingOverview> {
  const running = await runningOf(billing, actor);
  if (isSamePrice(running, price)) await keepPrice(billing, running);
  else if (!isSamePrice(running.pendingChange, price)) {
    refuseUnpaid(running);
    if (!isUpgrade(running, price))
      await changePrice(billing, running, { price, when: 'periodEnd' });
    // The user expected no charge: a planned change has taken effect since.
    else if (!quote) throw priceChanged();
    else await upgradeNow(billing, running, { price, quote });
  }
  return refreshedOverview(billing, running);
}

/** Cancels at the end of the paid period. @throws AppError no_subscription */
export async function cancelSubscription(
  billing: BillingFeature,
  actor: Actor,
): Promise<BillingOverview> {
  const running = await runningOf(billing, actor);
  if (!running.cancelsAt) await billing.gateway.setCancellation(running.subscriptionId, true);
  return refreshedOverview(billing, running);
}

/**
 * Withdraws the cancellation or change that is planned for the end of the paid period. Never charges.
 * @throws AppError no_subscription
 */
export async function resumeSubscription(
  billing: BillingFeature,
  actor: Actor,
): Promise<BillingOverview> {
  const running = await runningOf(billing, actor);
  await keepPrice(billing, running);
  return refreshedOverview(billing, running);
}

/** @throws AppError no_subscription when the provider does not know the user */
export async function openPortal(
  { subscriptions, gateway, baseUrl }: BillingFeature,
  { userId }: Actor,
): Promise<PortalResult> {
  for (const customerId of (await subscriptions.findOf(userId))?.customerIds ?? []) {
    const portal = await gateway.createPortal({ customerId, returnUrl: `${baseUrl}/settings` });
    if (portal) return portal;
  }
  throw noSubscription();
}

/** Latest first. */
export async function listInvoices(
  { subscriptions, gateway }: BillingFeature,
  { userId }: Actor,
): Promise<Invoice[]> {
  const customerIds = (await subscriptions.findOf(userId))?.customerIds ?? [];
  const lists = await Promise.all(
    customerIds.map((customerId) => gateway.listInvoices(customerId, INVOICE_LIMIT)),
  );
  return lists
    .flat()
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, INVOICE_LIMIT)
    .map(presentInvoice);
}

const overviewOf = (
  { now, isTest }: BillingFeature,
  subscription: Subscription | null,
): BillingOverview => presentBilling(subscription, { now: now(), isTest });

const refreshedOverview = async (
  billing: BillingFeature,
  { ownerId }: Subscription,
): Promise<BillingOverview> =>
  overviewOf(billing, (await refreshSubscription(billing, ownerId)).subscription);

/** @throws AppError no_subscription */
async function runningOf(billing: BillingFeature, { userId }: Actor): Promise<Running> {
  const found = await currentSubscription(billing, userId);
  if (!found || !isRunning(found)) throw noSubscription();
  return found;
}

const chargeFor = (
  { gateway, catalog }: BillingFeature,
  { subscriptionId }: Running,
  { price, ...when }: When & { price: Price },
): Promise<Charge> =>
  gateway.previewChange({ subscriptionId, priceId: catalog.priceId(price), ...when });

/**
 * Changes the price now, for the amount of `quote`.
 * @throws AppError price_changed when the amount differs
 */
async function upgradeNow(
  billing: BillingFeature,
  running: Running,
  { price, quote }: { price: Price; quote: Quote | undefined },
): Promise<void> {
  if (!quote) return changePrice(billing, running, { price, when: 'now' });
  if (await isStillCharged(billing, running, { price, quote })) {
    const prorationDate = new Date(quote.prorationDate);
    return changePrice(billing, running, { price, when: 'now', prorationDate });
  }
  // Another tab may have made the same change.
  if (!(await hasPriceNow(billing, running, price))) throw priceChanged();
}

async function isStillCharged(
  billing: BillingFeature,
  running: Running,
  { price, quote }: { price: Price; quote: Quote },
): Promise<boolean> {
  const prorationDate = new Date(quote.prorationDate);
  if (prorationDate.getTime() < billing.now().getTime() - QUOTE_LIFETIME_MS) return false;
  try {
    const { amount } = await chargeFor(billing, running, { price, when: 'now', prorationDate });
    return amount === quote.amount;
  } catch (error) {
    // A new paid period has begun since.
    if (error instanceof GatewayError && error.reason === 'invalid') return false;
    throw error;
  }
}

/** Withdraws everything that is planned for the end of the paid period. */
async function keepPrice(billing: BillingFeature, running: Running): Promise<void> {
  if (running.cancelsAt) await billing.gateway.setCancellation(running.subscriptionId, false);
  else if (running.pendingChange)
    await changePrice(billing, running, { price: running, when: 'periodEnd' });
}

async function changePrice(
  billing: BillingFeature,
  running: Running,
  { price, ...when }: When & { price: Price },
): Promise<void> {
  const { gateway, catalog, subscriptions } = billing;
  const { ownerId, subscriptionId, version } = running;
  const priceId = catalog.priceId(price);
  // Two tabs that ask for the same change share the key, and the change is charged once.
  const idempotencyKey = `${subscriptionId}-${version}-${priceId}-${when.when}`;
  try {
    await gateway.changePrice({ subscriptionId, priceId, idempotencyKey, ...when });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.reason === 'unavailable') throw error;
    // The other tab's preview is of another second: the provider refuses the key, and the change has been made.
    if (error.reason === 'invalid' && (await hasPriceNow(billing, running, price))) return;
    // The provider repeats the refusal for the same key, even when the next card would be accepted.
    await subscriptions.touch(ownerId);
    throw error;
  }
}

/** Whether the user has this price at the provider now. */
const hasPriceNow = async (
  billing: BillingFeature,
  { ownerId }: Running,
  price: Price,
): Promise<boolean> =>
  isSamePrice(priceOf((await refreshSubscription(billing, ownerId)).subscription), price);

const priceOf = (subscription: Subscription): Price | null =>
  isRunning(subscription) ? subscription : null;

const isRunning = (subscription: Subscription): subscription is Running =>
  subscription.subscriptionId !== null &&
  subscription.plan !== null &&
  subscription.interval !== null;
