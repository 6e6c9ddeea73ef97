import type { PlanId } from './auth.ts';
import { STORAGE_BYTES } from './file-limits.ts';

export type BillingInterval = 'month' | 'year';

/** What a plan includes. The server enforces it; clients only show it. */
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
  features: readonly string[];
  recommended: boolean;
  limits: PlanLimits;
}

/** One of GET /api/plans. */
export interface Plan extends Omit<PlanDescription, 'limits'> {
  stripePriceId: string;
  stripeYearlyPriceId: string;
}

const MB = 1024 * 1024;

/** The plan with this feature has insight cards that compare files. */
export const COMPARING_CARDS = 'Advanced insight cards';

/** Every plan on sale, the smallest first (docs/product.md, 'Plans'). */
export const PLANS = [
  {
    id: 'starter',
    name: 'Starter',
    price: 29,
    yearlyPrice: 278.4,
    description: 'For everyday questions and your own projects.',
    features: [
      '200,000 tokens per month',
      'Unlimited conversations',
      '3 custom personas',
      'Basic file uploads (10MB)',
      'Priority support',
      'n8n workflow integration',
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
    description: 'For teams and for long, demanding work.',
    features: [
      '3,000,000 tokens per month',
      'Everything in Starter',
      'Unlimited custom personas',
      'Large file uploads (100MB)',
      COMPARING_CARDS,
      'API access',
      'Priority processing',
      'Team collaboration',
      'Advanced analytics',
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
