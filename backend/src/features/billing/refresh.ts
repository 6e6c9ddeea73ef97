import type { SubscriptionSnapshot } from '../../payments/index.ts';
import { isRunning, isSameState, type SubscriptionFacts, subscriptionFrom } from './derive.ts';
import { isChangeDue } from './entitlements.ts';
import { planChanging } from './errors.ts';
import type { BillingFeature } from './feature.ts';
import type { Subscription } from './model.ts';

interface RefreshOptions {
  /** A customer of the user, known to the caller. */
  customerId?: string | null;
  /** A dispute has been decided: a payment that is still disputed is lost. */
  isDisputeClosed?: boolean;
}

export interface Refreshed {
  subscription: Subscription;
  /** Whether anything except the version changed. */
  changed: boolean;
}

/** A refresh fails after so many writes of other processes. */
const MAX_ATTEMPTS = 20;

const USER_ID = /^[0-9a-f]{24}$/;

/** Whether the owner in the provider's metadata can be a user's id. */
export const isUserId = (text: string): boolean => USER_ID.test(text);

/** The type under which the operator sees a second subscription. */
export const DUPLICATE = 'duplicate_subscription';

/**
 * Fetches a user's subscriptions from the payment provider and stores the derived state. Webhooks, returns from checkout, changes of plan
 * and the nightly comparison all call it; no other code changes a subscription. Order and repetition do not matter. Rejects with a
 * GatewayError, or when the provider returns a price that the settings do not name; then nothing is stored.
 */
export async function refreshSubscription(
  billing: BillingFeature,
  ownerId: string,
  options: RefreshOptions = {},
): Promise<Refreshed> {
  const {
    subscriptions,
    others: { accounts },
  } = billing;
  const { customerId = null } = options;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // Checked in every attempt: an erased record must not be created again.
    if (!(await accounts.find(ownerId))) return refuseAccount(billing, { ownerId, customerId });
    // Read before the request to the provider: a state that another process stores meanwhile may be newer, and is kept.
    const before = await subscriptions.findOrCreate(ownerId);
    const next = await fetchState(billing, before, options);
    if (!(await subscriptions.replace(before, next))) continue;
    // Published even when nothing changed: a process that crashed after the write may not have published.
    await publishPlan(billing, ownerId);
    const subscription = (await subscriptions.findOf(ownerId)) ?? before;
    return { subscription, changed: !isSameState(before, next.facts) };
  }
  throw new Error('The subscription is being changed by others all the time.');
}

/**
 * The stored subscription, after a refresh when a change of it is due.
 * @throws AppError already_subscribed while the provider has not made the change: a payment now would be a second one
 */
export async function currentSubscription(
  billing: BillingFeature,
  ownerId: string,
): Promise<Subscription | null> {
  const { subscriptions, now } = billing;
  const stored = await subscriptions.findOf(ownerId);
  if (!stored || !isChangeDue(stored, now())) return stored;
  const { subscription } = await refreshSubscription(billing, ownerId);
  if (isChangeDue(subscription, now())) throw planChanging();
  return subscription;
}

/** Tells the tabs of a user, and of those for whom the user's plan pays, that the plan has changed. */
export async function publishPlan(
  { others: { accounts, workspaces } }: Pick<BillingFeature, 'others'>,
  ownerId: string,
): Promise<void> {
  await accounts.publishChange(ownerId);
  await workspaces.publishPlan(ownerId);
}

async function fetchState(
  billing: BillingFeature,
  before: Subscription,
  { customerId = null, isDisputeClosed = false }: RefreshOptions,
) {
  const { gateway, now, deriveSettings } = billing;
  const known = new Set([...before.customerIds, ...(customerId === null ? [] : [customerId])]);
  const lists = await Promise.all([...known].map((id) => gateway.listSubscriptions(id)));
  const own = ownSubscriptions(billing, before.ownerId, lists.flat());
  const isReturned = ({ latestInvoice }: SubscriptionSnapshot) =>
    latestInvoice?.status === 'refunded' ||
    (isDisputeClosed && latestInvoice?.status === 'disputed');
  for (const one of own)
    if (one.status !== 'ended' && isReturned(one)) await gateway.cancelNow(one.id);
  const kept = own.filter((one) => isRunning(one) && !isReturned(one));
  const [current, ...duplicates] = kept.toSorted(byPrecedence);
  for (const duplicate of duplicates) await endDuplicate(billing, before.ownerId, duplicate);
  // A user with a subscription must not pay for a second one. A complete checkout stays.
  if (current && before.checkout?.checkoutId)
    await gateway.expireCheckout(before.checkout.checkoutId);

  // A plan that an operator granted stays until the user pays for one.
  const isGiven = !current && before.subscriptionId === null;
  return {
    facts: isGiven
      ? pickFacts(before)
      : subscriptionFrom(
          { snapshot: current ?? null, previous: before, now: now() },
          deriveSettings,
        ),
    customerIds: current ? [current.customerId, ...without(known, current.customerId)] : [...known],
    keepCheckout: !current,
  };
}

const without = (ids: Set<string>, id: string) => [...ids].filter((other) => other !== id);

/** The customer may have subscriptions that this product did not sell. */
const ownSubscriptions = (
  { catalog }: BillingFeature,
  ownerId: string,
  snapshots: SubscriptionSnapshot[],
) =>
  snapshots.filter(
    (one) => one.ownerId === ownerId || (one.ownerId === null && catalog.find(one.priceId)),
  );

/** A paid subscription comes before an unpaid one, then the older before the newer. */
const byPrecedence = (a: SubscriptionSnapshot, b: SubscriptionSnapshot): number =>
  Number(a.status !== 'active') - Number(b.status !== 'active') ||
  a.startedAt.getTime() - b.startedAt.getTime() ||
  (a.id < b.id ? -1 : 1);

/** Ends a second subscription, so that its user does not pay twice. The refund is left to the operator. */
async function endDuplicate(
  { gateway, events, now, log }: BillingFeature,
  ownerId: string,
  { id, customerId }: SubscriptionSnapshot,
): Promise<void> {
  // Recorded first: after a crash in between, the ended subscription would not be recognised as a second one.
  await events.flag(
    { id: `duplicate-${id}`, type: DUPLICATE, customerId, subscriptionId: id, checkoutId: null },
    {
      error: 'The user paid for a second subscription. It was cancelled; refund its payment.',
      now: now(),
    },
  );
  await gateway.cancelNow(id);
  log.error({ ownerId, subscriptionId: id }, 'second subscription cancelled, refund it');
}

/** The account does not exist. The operator gets a record when its user still pays. */
async function refuseAccount(
  { gateway }: BillingFeature,
  { ownerId, customerId }: { ownerId: string; customerId: string | null },
): Promise<never> {
  const running =
    customerId === null ? [] : (await gateway.listSubscriptions(customerId)).filter(isRunning);
  if (running.some((one) => one.ownerId === ownerId))
    throw new Error(
      `The account of subscription ${running[0]?.id} does not exist any more. Cancel and refund it.`,
    );
  throw new AccountGoneError();
}

/** The account does not exist, and has no running subscription. */
export class AccountGoneError extends Error {
  override name = 'AccountGoneError';
}

const pickFacts = (subscription: Subscription): SubscriptionFacts => {
  const { ownerId: _o, version: _v, customerIds: _c, checkout: _k, ...facts } = subscription;
  return facts;
};
