import { isSubscribed } from '../../contract/plans.ts';
import {
  type AccountFacts,
  computeEntitlements,
  type Entitlements,
  entitlementsWithoutPlans,
  planFacts,
} from './entitlements.ts';
import { endPayments } from './erase.ts';
import { gatewayProblem } from './errors.ts';
import type { BillingFeature } from './feature.ts';

/** Plans and entitlements for other features. */
export type BillingService = ReturnType<typeof bindMembers>;

/** The functions for other features, as members: accounts come earlier in the list. */
export const bindMembers = (billing: BillingFeature) => ({
  entitlementsOf: (userId: string, known?: AccountFacts) => entitlementsOf(billing, userId, known),

  hasPlan: (userId: string) => hasPlan(billing, userId),

  /**
   * Ends the open checkout and every subscription of a user, at once.
   * @throws AppError unavailable
   */
  endPayments: (userId: string): Promise<void> =>
    endPayments(billing, userId).catch((error: unknown) => {
      throw gatewayProblem(error);
    }),
});

type Entitling = Pick<BillingFeature, 'plans' | 'subscriptions' | 'others' | 'guestTokens' | 'now'>;

/**
 * The user's entitlements now; kind 'none' without an account. A caller that has just read the account passes it as `known`; known guests
 * cost no query.
 */
export async function entitlementsOf(
  { plans, subscriptions, others, guestTokens, now }: Entitling,
  userId: string,
  known?: AccountFacts,
): Promise<Entitlements> {
  if (plans === 'off') {
    const account = known ?? (await others.accounts.find(userId));
    if (account) return entitlementsWithoutPlans(account, now());
    return computeEntitlements({ account, subscription: null, now: now() });
  }
  const [account, subscription] = await Promise.all([
    known ?? others.accounts.find(userId),
    known?.subscriptionStatus === 'guest' ? null : subscriptions.findOf(userId),
  ]);
  return computeEntitlements({ account, subscription, now: now(), guestTokens });
}

/** Whether a registered user has a plan, or a subscription that is unpaid at present. */
export async function hasPlan(
  { plans, subscriptions, now }: Pick<BillingFeature, 'plans' | 'subscriptions' | 'now'>,
  userId: string,
): Promise<boolean> {
  if (plans === 'off') return true;
  const subscription = await subscriptions.findOf(userId);
  const facts = planFacts({ subscriptionStatus: null }, { subscription, now: now() });
  return isSubscribed(facts) || (subscription?.subscriptionId ?? null) !== null;
}
