import type { Config } from '../../config.ts';
import { isSubscribed } from '../../contract/subscription.ts';
import {
  type AccountFacts,
  accountOf,
  computeEntitlements,
  type Entitlements,
  entitlementsWithoutPlans,
  factsWithoutPlans,
  type PlanFacts,
  planFacts,
} from './entitlements.ts';
import type { SubscriptionStore } from './model.ts';

export interface BillingDeps {
  subscriptions: Pick<SubscriptionStore, 'findOf'>;
  /** The account of an id; null when it is gone or being deleted. */
  findAccount: (userId: string) => Promise<AccountFacts | null>;
  now: () => Date;
  /** Tokens that a guest may use. */
  guestTokens?: number;
  /** Whether users need a plan; without plans everybody has everything. */
  plans?: Config['PLANS'];
}

interface PlanOwner {
  userId: string;
  isGuest: boolean;
}

/** Plans and what they entitle users to. */
export type BillingService = ReturnType<typeof createBillingService>;

export function createBillingService({
  subscriptions,
  findAccount,
  now,
  guestTokens,
  plans = 'on',
}: BillingDeps) {
  return {
    /**
     * What the user may do and use now. Without an account: nothing (kind 'none'). A caller that has just read the
     * account passes it as `known`; known guests cost no query.
     */
    entitlementsOf: async (userId: string, known?: AccountFacts): Promise<Entitlements> => {
      if (plans === 'off') {
        const account = known ?? (await findAccount(userId));
        if (account) return entitlementsWithoutPlans(account, now());
        return computeEntitlements({ account, subscription: null, now: now() });
      }
      const [account, subscription] = await Promise.all([
        known ?? findAccount(userId),
        known?.subscriptionStatus === 'guest' ? null : subscriptions.findOf(userId),
      ]);
      return computeEntitlements({ account, subscription, now: now(), guestTokens });
    },

    /** Status and plan as the user sees them. Guests cost no query. */
    planOf: async ({ userId, isGuest }: PlanOwner): Promise<PlanFacts> =>
      plans === 'off'
        ? factsWithoutPlans(accountOf({ isGuest }))
        : planFacts(accountOf({ isGuest }), {
            subscription: isGuest ? null : await subscriptions.findOf(userId),
            now: now(),
          }),

    /** Whether a registered user has a plan, or a subscription that is not paid at present. */
    hasPlan: async (userId: string): Promise<boolean> => {
      if (plans === 'off') return true;
      const subscription = await subscriptions.findOf(userId);
      const facts = planFacts({ subscriptionStatus: null }, { subscription, now: now() });
      return isSubscribed(facts) || (subscription?.subscriptionId ?? null) !== null;
    },
  };
}
