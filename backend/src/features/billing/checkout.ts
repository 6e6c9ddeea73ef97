import { createHash } from 'node:crypto';
import { type Actor, requireRegistered } from '../../access/index.ts';
import type { CheckoutResult, VerifyResult } from '../../contract/billing.ts';
import { planById } from '../../contract/plans.ts';
import { AppError, notFound, unavailable } from '../../errors.ts';
import { type CheckoutRequest, GatewayError } from '../../payments/index.ts';
import { isSamePrice, type Price } from './catalog.ts';
import { planFacts } from './entitlements.ts';
import { alreadySubscribed, refuseUnpaid } from './errors.ts';
import type { BillingFeature } from './feature.ts';
import type { OpenCheckout, Subscription } from './model.ts';
import { currentSubscription, refreshSubscription } from './refresh.ts';

interface Purpose {
  price: Price;
  /** Started in the upgrade dialog, whose payment page has other texts. */
  isUpgrade: boolean;
}

/** A checkout fails after so many attempts that another tab's choice interrupted. */
const MAX_ATTEMPTS = 5;
/** The provider forgets a checkout and its idempotency key after 24 hours. */
const CHECKOUT_LIFETIME_MS = 23 * 60 * 60_000;

/**
 * The URL where a user pays for a price. The same price returns the same checkout; another price replaces it.
 * @throws AppError unknown_price; forbidden for guests; already_subscribed; GatewayError
 */
export async function startCheckout(
  billing: BillingFeature,
  actor: Actor,
  priceId: string,
): Promise<CheckoutResult> {
  requireRegistered(actor);
  const price = billing.catalog.find(priceId);
  if (!price) throw new AppError('unknown_price', 'This plan is not on sale. Reload the page.');
  const checkout = await openCheckout(billing, actor, { price, isUpgrade: false });
  return 'url' in checkout
    ? { url: checkout.url }
    : { clientSecret: checkout.clientSecret, publishableKey: billing.publishableKey };
}

/** The URL where a user without a subscription pays for an upgrade. Throws as `startCheckout` does. */
export async function startUpgradeCheckout(
  billing: BillingFeature,
  actor: Actor,
  price: Price,
): Promise<string> {
  const checkout = await openCheckout(billing, actor, { price, isUpgrade: true });
  if (!('url' in checkout)) throw new Error('A hosted checkout has no address.');
  return checkout.url;
}

/**
 * Applies the result of a checkout now, without waiting for the webhook.
 * @throws AppError not_found when the checkout is not the user's; GatewayError
 */
export async function verifyCheckout(
  billing: BillingFeature,
  { userId: ownerId }: Actor,
  checkoutId: string,
): Promise<VerifyResult> {
  const checkout = await billing.gateway.findCheckout(checkoutId);
  if (!checkout || checkout.ownerId !== ownerId) throw notFound('payment');
  if (checkout.status !== 'complete') return notPaid(checkout.status);
  const { customerId } = checkout;
  const { subscription } = await refreshSubscription(billing, ownerId, { customerId });
  const { subscriptionPlan: plan } = planFacts(
    { subscriptionStatus: null },
    { subscription, now: billing.now() },
  );
  if (plan === null)
    return { success: false, plan, message: 'This payment has not activated a plan.' };
  return { success: true, plan, message: `Your ${planById(plan).name} plan is active.` };
}

async function openCheckout(billing: BillingFeature, actor: Actor, purpose: Purpose) {
  const {
    subscriptions,
    gateway,
    others: { accounts },
  } = billing;
  const { userId: ownerId } = actor;
  let isCustomerRefused = false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // Checked in every attempt: an erased record must not be created again.
    const account = await accounts.find(ownerId);
    if (!account?.email) throw notFound('account');
    const record = await currentRecord(billing, ownerId);
    refuseSecond(record, purpose.price);
    const usual = requestFor(billing, { record, email: account.email, ...purpose });
    // Of a new customer, when the provider no longer has the known one: it was deleted there, or belongs to other keys.
    const anew = { ...usual, customerId: null };
    const isAnew = isCustomerRefused || record.checkout?.fingerprint === fingerprintOf(anew);
    const request = isAnew ? anew : usual;
    const begun = await beginCheckout(billing, record, fingerprintOf(request));
    if (!begun) continue;
    const checkout = await createUnlessRefused(billing, { ...request, idempotencyKey: begun.key });
    if (!checkout) {
      isCustomerRefused = true;
      continue;
    }
    if (await subscriptions.openCheckout(ownerId, begun.key, checkout.id)) return checkout;
    // Another tab has chosen another plan or has paid, so this checkout must not be paid.
    await gateway.expireCheckout(checkout.id);
  }
  throw unavailable();
}

/** Null when the provider refuses a request that names a customer. */
const createUnlessRefused = ({ gateway }: BillingFeature, request: CheckoutRequest) =>
  gateway.createCheckout(request).catch((error: unknown) => {
    const isRefused = error instanceof GatewayError && error.reason === 'invalid';
    if (isRefused && request.customerId !== null) return null;
    throw error;
  });

/** The stored record of the user, after a refresh when a change is due or a payment has just been made. */
async function currentRecord(billing: BillingFeature, ownerId: string): Promise<Subscription> {
  const record =
    (await currentSubscription(billing, ownerId)) ??
    (await billing.subscriptions.findOrCreate(ownerId));
  const checkoutId = record.checkout?.checkoutId;
  if (!checkoutId) return record;
  const checkout = await billing.gateway.findCheckout(checkoutId);
  if (checkout?.status !== 'complete') return record;
  const { customerId } = checkout;
  return (await refreshSubscription(billing, ownerId, { customerId })).subscription;
}

/** The open checkout of the same request, else a new one; null when another tab was first. */
async function beginCheckout(
  billing: BillingFeature,
  record: Subscription,
  fingerprint: string,
): Promise<OpenCheckout | null> {
  const { subscriptions, gateway, newId, now } = billing;
  const { checkout } = record;
  if (checkout?.fingerprint === fingerprint && (await isUsable(billing, checkout))) return checkout;
  // A user has at most one open checkout, so that a forgotten tab cannot be paid as well.
  if (checkout?.checkoutId) await gateway.expireCheckout(checkout.checkoutId);
  const begun = { key: newId(), fingerprint, createdAt: now() };
  return (await subscriptions.beginCheckout(record, begun)) ? { ...begun, checkoutId: null } : null;
}

async function isUsable(
  { gateway, now }: BillingFeature,
  { checkoutId, createdAt }: OpenCheckout,
): Promise<boolean> {
  if (now().getTime() - createdAt.getTime() > CHECKOUT_LIFETIME_MS) return false;
  return checkoutId === null || (await gateway.findCheckout(checkoutId))?.status === 'open';
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
  // A paid plan may replace a plan that an operator granted.
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
  { catalog, baseUrl, ui }: BillingFeature,
  { record, email, price, isUpgrade }: Purpose & { record: Subscription; email: string },
): Request {
  const page = `${baseUrl}/subscription`;
  return {
    ownerId: record.ownerId,
    customerId: record.customerIds[0] ?? null,
    email,
    priceId: catalog.priceId(price),
    // The upgrade dialog can only open a URL.
    ui: isUpgrade ? 'hosted' : ui,
    successUrl: `${page}?success=true&session_id={CHECKOUT_SESSION_ID}${isUpgrade ? '&upgrade=true' : ''}`,
    cancelUrl: isUpgrade ? `${page}?upgrade_cancelled=true` : `${page}?canceled=true`,
  };
}

/** The provider accepts a repeated key only with the same request. */
const fingerprintOf = (request: Request): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('base64url');
