import type { Log } from '../../log.ts';
import type { PaymentGateway, SubscriptionSnapshot } from '../../payments/index.ts';
import type { Catalog } from './catalog.ts';
import {
  type DeriveSettings,
  isRunning,
  isSameState,
  type SubscriptionFacts,
  subscriptionFrom,
} from './derive.ts';
import type { AccountFacts } from './entitlements.ts';
import type { PaymentEventStore } from './events/event-model.ts';
import type { Subscription, SubscriptionStore } from './model.ts';

export interface RefreshDeps {
  subscriptions: SubscriptionStore;
  events: PaymentEventStore;
  gateway: PaymentGateway;
  catalog: Catalog;
  findAccount: (userId: string) => Promise<AccountFacts | null>;
  /** Tells the user's tabs that plan or quota changed. */
  tell: (userId: string) => Promise<void>;
  now: () => Date;
  settings: DeriveSettings;
  log: Log;
}

interface RefreshOptions {
  /** A customer that the caller knows to be the user's. */
  customerId?: string | null;
  /** A dispute has been decided: a payment that is still disputed is lost. */
  isDisputeClosed?: boolean;
}

export interface Refreshed {
  subscription: Subscription;
  /** Whether anything but the version was different. */
  changed: boolean;
}

/** Writes of others that one refresh gives way to. */
const MAX_ROUNDS = 20;

const USER_ID = /^[0-9a-f]{24}$/;

/** Whether what the provider returned as the owner can be a user's id. */
export const isUserId = (text: string): boolean => USER_ID.test(text);

/** The type under which a second subscription is shown to the operator. */
export const DUPLICATE = 'duplicate_subscription';

/**
 * Fetches what the payment provider has of a user and stores what follows from it: the one way in which a subscription
 * changes, for webhooks, returns from checkout, changes of plan and the nightly comparison. Order and repetition do not
 * matter. Rejects with a GatewayError, or when the
 * provider has something that the settings do not explain; nothing is stored then.
 */
export type Refresh = (ownerId: string, options?: RefreshOptions) => Promise<Refreshed>;

export function createRefresh(deps: RefreshDeps): Refresh {
  const { subscriptions, findAccount, tell } = deps;

  return async (ownerId, options = {}) => {
    const { customerId = null } = options;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // In every round: an erased record must not be created again.
      if (!(await findAccount(ownerId))) return refuseAccount(deps, { ownerId, customerId });
      // Read before the provider is asked: what another process stores meanwhile may be newer, and is kept.
      const before = await subscriptions.findOrCreate(ownerId);
      const next = await fetchState(deps, before, options);
      if (!(await subscriptions.replace(before, next))) continue;
      // Also when nothing changed: a process that died after the write may not have told.
      await tell(ownerId);
      const subscription = (await subscriptions.findOf(ownerId)) ?? before;
      return { subscription, changed: !isSameState(before, next.facts) };
    }
    throw new Error('The subscription is being changed by others all the time.');
  };
}

async function fetchState(
  deps: RefreshDeps,
  before: Subscription,
  { customerId = null, isDisputeClosed = false }: RefreshOptions,
) {
  const { gateway, now, settings } = deps;
  const known = new Set([...before.customerIds, ...(customerId === null ? [] : [customerId])]);
  const lists = await Promise.all([...known].map((id) => gateway.listSubscriptions(id)));
  const own = ownSubscriptions(deps, before.ownerId, lists.flat());
  const isReturned = ({ latestInvoice }: SubscriptionSnapshot) =>
    latestInvoice?.status === 'refunded' ||
    (isDisputeClosed && latestInvoice?.status === 'disputed');
  for (const one of own)
    if (one.status !== 'ended' && isReturned(one)) await gateway.cancelNow(one.id);
  const kept = own.filter((one) => isRunning(one) && !isReturned(one));
  const [current, ...duplicates] = kept.toSorted(byPrecedence);
  for (const duplicate of duplicates) await endDuplicate(deps, before.ownerId, duplicate);
  // Whoever has a subscription must not pay for a second one. A checkout that is complete stays as it is.
  if (current && before.checkout?.checkoutId)
    await gateway.expireCheckout(before.checkout.checkoutId);

  // A plan that was given by hand stays until the user has paid for one.
  const isGiven = !current && before.subscriptionId === null;
  return {
    facts: isGiven
      ? pickFacts(before)
      : subscriptionFrom({ snapshot: current ?? null, previous: before, now: now() }, settings),
    customerIds: current ? [current.customerId, ...without(known, current.customerId)] : [...known],
    keepCheckout: !current,
  };
}

const without = (ids: Set<string>, id: string) => [...ids].filter((other) => other !== id);

/** The customer may have subscriptions that this product did not sell. */
const ownSubscriptions = (
  { catalog }: RefreshDeps,
  ownerId: string,
  snapshots: SubscriptionSnapshot[],
) =>
  snapshots.filter(
    (one) => one.ownerId === ownerId || (one.ownerId === null && catalog.find(one.priceId)),
  );

/** The subscription that counts: one that is paid before one that is not, then the first one. */
const byPrecedence = (a: SubscriptionSnapshot, b: SubscriptionSnapshot): number =>
  Number(a.status !== 'active') - Number(b.status !== 'active') ||
  a.startedAt.getTime() - b.startedAt.getTime() ||
  (a.id < b.id ? -1 : 1);

/** Nobody pays twice: ends a second subscription, and leaves its payment to the operator. */
async function endDuplicate(
  { gateway, events, now, log }: RefreshDeps,
  ownerId: string,
  { id, customerId }: SubscriptionSnapshot,
): Promise<void> {
  // Recorded first: after a crash in between, the ended subscription would no longer be recognised as a second one.
  await events.flag(
    { id: `duplicate-${id}`, type: DUPLICATE, customerId, subscriptionId: id, checkoutId: null },
    {
      error: 'The user paid for a second subscription. It was cancelled; refund its payment.',
      now: now(),
    },
  );
  await gateway.cancelNow(id);
  log.error({ ownerId, subscriptionId: id }, 'a second subscription was cancelled; refund it');
}

/** There is no such account: fine, unless somebody pays for it. */
async function refuseAccount(
  { gateway }: RefreshDeps,
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

/** The account does not exist, and nobody pays for it. */
export class AccountGoneError extends Error {
  override name = 'AccountGoneError';
}

const pickFacts = (subscription: Subscription): SubscriptionFacts => {
  const { ownerId: _o, version: _v, customerIds: _c, checkout: _k, ...facts } = subscription;
  return facts;
};
