import { createHash } from 'node:crypto';
import { type Actor, requireRegistered } from '../../access/index.ts';
import type { CheckoutResult, VerifyResult } from '../../contract/billing.ts';
import { planById } from '../../contract/plans.ts';
import { AppError, notFound, unavailable } from '../../errors.ts';
import type { CheckoutRequest } from '../../payments/index.ts';
import { isSamePrice, type Price } from './catalog.ts';
import { planFacts } from './entitlements.ts';
import { alreadySubscribed, refuseUnpaid } from './errors.ts';
import type { OpenCheckout, Subscription } from './model.ts';
import type { Refresh, RefreshDeps } from './refresh.ts';

export interface CheckoutDeps extends RefreshDeps {
  refresh: Refresh;
  newId: () => string;
  /** Where users open the product, without a slash at the end. */
  baseUrl: string;
  ui: CheckoutRequest['ui'];
  publishableKey: string;
}

interface Purpose {
  price: Price;
  /** From the upgrade dialog; the page's texts differ. */
  isUpgrade: boolean;
}

/** Other tabs that one checkout gives way to. */
const MAX_ROUNDS = 5;
/** The provider forgets a checkout and its idempotency key after 24 hours. */
const CHECKOUT_LIFETIME_MS = 23 * 60 * 60_000;

export type Checkouts = ReturnType<typeof createCheckouts>;

/** Starts payments and verifies them when the user returns. */
export function createCheckouts(deps: CheckoutDeps) {
  const { subscriptions, gateway, catalog, refresh, findAccount, newId, now } = deps;

  /** What is stored of the user, with a payment that has just been made. */
  const current = async (ownerId: string): Promise<Subscription> => {
    const record = await subscriptions.findOrCreate(ownerId);
    const checkoutId = record.checkout?.checkoutId;
    if (!checkoutId) return record;
    const checkout = await gateway.findCheckout(checkoutId);
    if (checkout?.status !== 'complete') return record;
    return (await refresh(ownerId, { customerId: checkout.customerId })).subscription;
  };

  /** The checkout of this very request when there is one, else a new one. */
  const begin = async (record: Subscription, fingerprint: string): Promise<OpenCheckout | null> => {
    const { checkout } = record;
    if (checkout?.fingerprint === fingerprint && (await isUsable(checkout))) return checkout;
    // A user has one open checkout at most: a forgotten tab must not be paid as well.
    if (checkout?.checkoutId) await gateway.expireCheckout(checkout.checkoutId);
    const begun = { key: newId(), fingerprint, createdAt: now() };
    return (await subscriptions.beginCheckout(record, begun))
      ? { ...begun, checkoutId: null }
      : null;
  };

  const isUsable = async ({ checkoutId, createdAt }: OpenCheckout): Promise<boolean> => {
    if (now().getTime() - createdAt.getTime() > CHECKOUT_LIFETIME_MS) return false;
    return checkoutId === null || (await gateway.findCheckout(checkoutId))?.status === 'open';
  };

  const open = async (actor: Actor, purpose: Purpose) => {
    const { userId: ownerId } = actor;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // In every round: an erased record must not be created again.
      const account = await findAccount(ownerId);
      if (!account?.email) throw notFound('account');
      const record = await current(ownerId);
      refuseSecond(record, purpose.price);
      const request = requestFor(deps, { record, email: account.email, ...purpose });
      const begun = await begin(record, fingerprintOf(request));
      if (!begun) continue;
      const checkout = await gateway.createCheckout({ ...request, idempotencyKey: begun.key });
      if (await subscriptions.openCheckout(ownerId, begun.key, checkout.id)) return checkout;
      // Another tab has chosen another plan, or has paid: this checkout must not be paid any more.
      await gateway.expireCheckout(checkout.id);
    }
    throw unavailable();
  };

  return {
    /**
     * Where a user pays for a price. The same price answers the same checkout; another one replaces it.
     * @throws AppError unknown_price; forbidden for guests; already_subscribed; GatewayError
     */
    start: async (actor: Actor, priceId: string): Promise<CheckoutResult> => {
      requireRegistered(actor);
      const price = catalog.find(priceId);
      if (!price) throw new AppError('unknown_price', 'This plan is not on sale. Reload the page.');
      const checkout = await open(actor, { price, isUpgrade: false });
      return 'url' in checkout
        ? { url: checkout.url }
        : { clientSecret: checkout.clientSecret, publishableKey: deps.publishableKey };
    },

    /** The address where a user without a subscription pays for an upgrade. Throws as `start` does. */
    startUpgrade: async (actor: Actor, price: Price): Promise<string> => {
      const checkout = await open(actor, { price, isUpgrade: true });
      if (!('url' in checkout)) throw new Error('A hosted checkout has no address.');
      return checkout.url;
    },

    /**
     * What came of a checkout, applied now instead of when the webhook arrives.
     * @throws AppError not_found when the checkout is not the user's; GatewayError
     */
    verify: async (actor: Actor, sessionId: string): Promise<VerifyResult> => {
      const { userId: ownerId } = actor;
      const checkout = await gateway.findCheckout(sessionId);
      if (!checkout || checkout.ownerId !== ownerId) throw notFound('payment');
      if (checkout.status !== 'complete') return notPaid(checkout.status);
      const { subscription } = await refresh(ownerId, { customerId: checkout.customerId });
      const { subscriptionPlan: plan } = planFacts(
        { subscriptionStatus: null },
        { subscription, now: now() },
      );
      if (plan === null)
        return { success: false, plan, message: 'This payment has not activated a plan.' };
      return { success: true, plan, message: `Your ${planById(plan).name} plan is active.` };
    },
  };
}

const notPaid = (status: 'open' | 'expired'): VerifyResult => ({
  success: false,
  plan: null,
  message:
    status === 'open'
      ? 'The payment is not complete yet.'
      : 'This payment page has expired. Choose the plan again.',
});

/** @throws AppError already_subscribed, or payment_failed when the subscription is not paid */
function refuseSecond(subscription: Subscription, price: Price): void {
  const { subscriptionId, plan, interval } = subscription;
  // A plan that was given by hand can be replaced by another one that is paid.
  if (plan === null || (subscriptionId === null && plan !== price.plan)) return;
  refuseUnpaid(subscription);
  throw alreadySubscribed(
    subscriptionId === null || isSamePrice({ plan, interval: interval ?? 'month' }, price)
      ? `You already have the ${planById(plan).name} plan.`
      : `You have the ${planById(plan).name} plan. Change the plan instead of paying for another one.`,
  );
}

type Request = Omit<CheckoutRequest, 'idempotencyKey'>;

function requestFor(
  { catalog, baseUrl, ui }: CheckoutDeps,
  { record, email, price, isUpgrade }: Purpose & { record: Subscription; email: string },
): Request {
  const page = `${baseUrl}/subscription`;
  return {
    ownerId: record.ownerId,
    customerId: record.customerIds[0] ?? null,
    email,
    priceId: catalog.priceId(price),
    // The upgrade dialog knows addresses only.
    ui: isUpgrade ? 'hosted' : ui,
    successUrl: `${page}?success=true&session_id={CHECKOUT_SESSION_ID}${isUpgrade ? '&upgrade=true' : ''}`,
    cancelUrl: isUpgrade ? `${page}?upgrade_cancelled=true` : `${page}?canceled=true`,
  };
}

/** A key may be repeated only with the same request. */
const fingerprintOf = (request: Request): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('base64url');
