import type { PlanId } from '@stolas/backend/contract';

export interface Plan {
  id: PlanId;
  name: string;
  /** US dollars a month. */
  price: number;
  description: string;
  features: string[];
  recommended?: true;
}

/** The plans on sale (docs/product.md, 'Plans'). */
export const PLANS: [starter: Plan, pro: Plan] = [
  {
    id: 'starter',
    name: 'Starter',
    price: 29,
    description: 'For everyday questions and your own projects.',
    features: [
      '200,000 tokens per month',
      'Unlimited conversations',
      '3 custom personas',
      'Basic file uploads (10MB)',
      'Priority support',
      'n8n workflow integration',
    ],
  },
  {
    id: 'pro',
    name: 'Pro',
    price: 179,
    description: 'For teams and for long, demanding work.',
    features: [
      '3,000,000 tokens per month',
      'Everything in Starter',
      'Unlimited custom personas',
      'Large file uploads (100MB)',
      'Advanced insight cards',
      'API access',
      'Priority processing',
      'Team collaboration',
      'Advanced analytics',
    ],
    recommended: true,
  },
];
