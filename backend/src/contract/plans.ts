import type { PlanId, User } from './auth.ts';
import { SOON } from './landing.ts';
import { STORAGE_BYTES } from './limits.ts';
import type { UsageSummary } from './usage.ts';

export type BillingInterval = 'month' | 'year';

/** The limits of a plan. The server enforces them; clients only show them. */
export interface PlanLimits {
  /** Prompt and completion tokens in each month of the subscription. */
  tokensPerMonth: number;
  /** Custom personas; null: not limited. */
  personas: number | null;
  /** Bytes of one uploaded file. */
  uploadBytes: number;
  /** Bytes of all stored files. */
  storageBytes: number;
}

/** A plan on sale, as the product describes it. Price ids come from the configuration. */
export interface PlanDescription {
  id: PlanId;
  name: string;
  /** US dollars a month, billed monthly. */
  price: number;
  /** US dollars a year, billed yearly: 20% less than twelve months. */
  yearlyPrice: number;
  description: string;
  features: readonly PlanFeature[];
  recommended: boolean;
  limits: PlanLimits;
}

/** One of GET /api/plans. */
export interface Plan extends Omit<PlanDescription, 'limits' | 'features'> {
  /** The available features. */
  features: readonly string[];
  /** The planned features. */
  soon: readonly string[];
  stripePriceId: string;
  stripeYearlyPriceId: string;
}

/** The features whose state the operator sets (PLAN_FEATURES). The code enforces the others. */
export const PLAN_FEATURES = [
  'support',
  'n8n',
  'cards',
  'api',
  'priority',
  'team',
  'analytics',
] as const;
export type PlanFeatureId = (typeof PLAN_FEATURES)[number];

/** Features that the code lacks: no operator can sell them. */
export const UNBUILT_FEATURES = ['n8n', 'api', 'analytics'] as const;

export const DEFAULT_PLAN_FEATURES = 'support,n8n:soon,cards,api:soon,priority,team,analytics:soon';

export interface PlanFeature {
  text: string;
  /** Absent: always available. */
  id?: PlanFeatureId;
}

export type FeatureState = 'available' | 'soon' | 'off';

/** The state of a feature by a list such as DEFAULT_PLAN_FEATURES; a missing one is off. */
export function featureState({ id }: PlanFeature, setting: string): FeatureState {
  if (id === undefined) return 'available';
  const entries = setting.split(',');
  if (entries.includes(id)) return 'available';
  return entries.includes(`${id}${SOON}`) ? 'soon' : 'off';
}

const MB = 1024 * 1024;

/** The plan with this feature has insight cards that compare files. */
export const COMPARING_CARDS = 'Advanced insight cards';

/** Every plan on sale, from the smallest to the largest (docs/product.md, 'Plans'). */
export const PLANS = [
  {
    id: 'starter',
    name: 'Starter',
    price: 29,
    yearlyPrice: 278.4,
    description: 'For everyday questions and your own projects.',
    features: [
      { text: '200,000 tokens per month' },
      { text: 'Unlimited conversations' },
      { text: '3 custom personas' },
      { text: 'Basic file uploads (10MB)' },
      { text: 'Priority support', id: 'support' },
      { text: 'n8n workflow integration', id: 'n8n' },
    ],
    recommended: false,
    limits: {
      tokensPerMonth: 200_000,
      personas: 3,
      uploadBytes: 10 * MB,
      storageBytes: STORAGE_BYTES.starter,
    },
  },
  {
    id: 'pro',
    name: 'Pro',
    price: 179,
    yearlyPrice: 1718.4,
    description: 'For long, demanding work.',
    features: [
      { text: '3,000,000 tokens per month' },
      { text: 'Everything in Starter' },
      { text: 'Unlimited custom personas' },
      { text: 'Large file uploads (100MB)' },
      { text: COMPARING_CARDS, id: 'cards' },
      { text: 'API access', id: 'api' },
      { text: 'Priority processing', id: 'priority' },
      { text: 'Team collaboration', id: 'team' },
      { text: 'Advanced analytics', id: 'analytics' },
    ],
    recommended: true,
    limits: {
      tokensPerMonth: 3_000_000,
      personas: null,
      uploadBytes: 100 * MB,
      storageBytes: STORAGE_BYTES.pro,
    },
  },
] as const satisfies readonly [PlanDescription, PlanDescription];

export const planById = (id: PlanId): PlanDescription => (id === 'pro' ? PLANS[1] : PLANS[0]);

/** A plan as it is paid for. */
export interface Offer {
  plan: PlanId;
  interval: BillingInterval;
}

const rankOf = ({ plan, interval }: Offer): number =>
  PLANS.findIndex(({ id }) => id === plan) * 2 + (interval === 'year' ? 1 : 0);

/**
 * Whether a change applies at once, pro-rated: to a larger plan, or from monthly to yearly payment of the same plan. Every other change waits
 * for the end of the paid period.
 */
export const isUpgrade = (from: Offer, to: Offer): boolean => rankOf(to) > rankOf(from);

type PlanOfUser = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

/** Whether the user has a subscription: status 'active', or plan 'starter' or 'pro'. */
export const isSubscribed = (user: PlanOfUser): boolean =>
  user.subscriptionStatus === 'active' || user.subscriptionPlan !== null;

/** Whether the user may use the chat screen: subscribers, and guests in demo mode. */
export const mayChat = (user: PlanOfUser): boolean =>
  isSubscribed(user) || user.subscriptionStatus === 'guest';

/** Charged tokens, without reserved ones. */
export const chargedTokens = ({ used, reserved }: UsageSummary): number => used - reserved;
