import * as z from 'zod';
import type { PlanId } from './auth.ts';
import type { BillingInterval } from './plans.ts';

/** POST /api/stripe/checkout: a price id of GET /api/plans. The server decides everything else about the payment. */
export const CheckoutBody = z.object({ priceId: z.string().min(1).max(200) });
export type CheckoutBody = z.infer<typeof CheckoutBody>;

/** Answer of POST /api/stripe/checkout: the URL of the payment page, or the data of the embedded payment form. */
export type CheckoutResult = { url: string } | { clientSecret: string; publishableKey: string };

/** POST /api/subscription/verify: the `session_id` in the URL after the payment page. */
export const VerifyBody = z.object({ sessionId: z.string().min(1).max(200) });
export type VerifyBody = z.infer<typeof VerifyBody>;

/** Answer of POST /api/subscription/verify. `success` is false while the payment is not complete. */
export interface VerifyResult {
  success: boolean;
  plan: PlanId | null;
  /** One sentence for the user. */
  message: string;
}

/** Answer of POST /api/stripe/upgrade. With `checkoutUrl` the user pays there first; without it the plan has changed. */
export interface UpgradeResult {
  checkoutUrl?: string;
  plan: PlanId;
  message: string;
}

/** The quote of GET /api/billing/preview: with it a change is charged exactly that amount, or refused (409 `price_changed`). */
const Quote = z.object({ prorationDate: z.iso.datetime(), amount: z.number().int().min(0) });
export type Quote = z.infer<typeof Quote>;

/** POST /api/stripe/upgrade. `null`, the quote of a first payment, changes no subscription (409 `price_changed`). */
export const UpgradeBody = z.object({ quote: Quote.nullish() }).default({});
export type UpgradeBody = z.input<typeof UpgradeBody>;

/** GET /api/billing/preview. */
export const PreviewQuery = z.object({
  plan: z.enum(['starter', 'pro']),
  /** By default the current one. */
  interval: z.enum(['month', 'year']).optional(),
});

/** POST /api/billing/change: an upgrade begins a new paid period now; a downgrade waits for the end of this one. */
export const ChangePlanBody = z.object({
  plan: z.enum(['starter', 'pro']),
  interval: z.enum(['month', 'year']),
  quote: Quote.optional(),
});
export type ChangePlanBody = z.infer<typeof ChangePlanBody>;

/** Answer of GET /api/billing/preview: the cost of a change. Amounts are in the smallest unit of `currency`. */
export interface ChangePreview {
  /** `checkout`: there is no subscription, and the user pays on the payment page. */
  when: 'now' | 'periodEnd' | 'checkout';
  plan: PlanId;
  interval: BillingInterval;
  currency: string;
  /** Charged today. */
  amount: number;
  /** The remaining credit, which reduces later payments. */
  credit: number;
  /** Tokens added today to those of the current usage period. */
  tokens: number;
  /** The charge after today's, with its date; ISO 8601. */
  next: { amount: number; at: string };
  /** To be sent with the change; null when it charges nothing. */
  quote: Quote | null;
}

/** GET /api/billing: the user's subscription. Answer of POST /api/billing/change, /cancel and /resume too. */
export interface BillingOverview {
  plan: PlanId | null;
  interval: BillingInterval | null;
  /** The end of the paid period, when the next one is charged; ISO 8601. */
  periodEndsAt: string | null;
  /** The end of a cancelled subscription; ISO 8601. */
  cancelsAt: string | null;
  /** A change of plan or interval that takes effect at the end of the paid period. */
  pendingChange: { plan: PlanId; interval: BillingInterval; at: string } | null;
  /** A renewal was not paid: chat continues until `graceEndsAt`. */
  pastDue: { since: string; graceEndsAt: string } | null;
  /** Whether the payment provider knows the user, so that there are a portal and invoices. */
  hasCustomer: boolean;
  /** Whether payments are tests: no money moves. */
  isTest: boolean;
}

/** Answer of POST /api/billing/portal: the provider's page to change the card, cancel, and see invoices. */
export interface PortalResult {
  url: string;
}

export type InvoiceStatus =
  | 'paid'
  | 'open'
  | 'failed'
  | 'refunded'
  | 'partially_refunded'
  | 'disputed'
  | 'void';

/** One of GET /api/billing/invoices, latest first. */
export interface Invoice {
  id: string;
  number: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** In the smallest unit of `currency`; refunds are not subtracted. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
  description: string;
  status: InvoiceStatus;
  /** The provider's page of the invoice. */
  url: string | null;
}
