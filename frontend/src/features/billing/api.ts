import type {
  BillingInterval,
  BillingOverview,
  ChangePlanBody,
  ChangePreview,
  CheckoutBody,
  CheckoutResult,
  Conversation,
  Invoice,
  Plan,
  PlanId,
  PortalResult,
  UpgradeBody,
  UpgradeResult,
  VerifyBody,
  VerifyResult,
} from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGet, apiPost } from '../../lib/api.ts';
import { billingKey, getNumbered } from '../../realtime/index.ts';

/** The plans on sale with their price ids; everything else is in the contract. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: () => apiGet<Plan[]>('/api/plans', { on401: 'throw' }),
});

/** The user's subscription. The socket reports changes. */
export const overviewQuery = queryOptions({
  queryKey: [...billingKey, 'overview'],
  queryFn: (read) => getNumbered<BillingOverview>('/api/billing', read),
});

/** The user's invoices, the latest first. The socket reports changes. */
export const invoicesQuery = queryOptions({
  queryKey: [...billingKey, 'invoices'],
  queryFn: (read) => getNumbered<Invoice[]>('/api/billing/invoices', read),
});

/** The last updated conversation; null without one. */
export const latestConversationQuery = queryOptions({
  queryKey: ['latest-conversation'],
  queryFn: async () =>
    (await apiGet<readonly Conversation[]>('/api/conversations', { on401: 'throw' }))[0]?.id ??
    null,
});

export const createCheckout = (body: CheckoutBody) =>
  apiPost<CheckoutResult>('/api/stripe/checkout', body);

export const verifyPayment = (body: VerifyBody) =>
  apiPost<VerifyResult>('/api/subscription/verify', body);

/** What a change to `plan` charges; without an interval the present one is kept. Read anew each time: it depends on the second. */
export const previewQuery = ({ plan, interval }: { plan: PlanId; interval?: BillingInterval }) =>
  queryOptions({
    queryKey: [...billingKey, 'preview', plan, interval ?? null],
    queryFn: (read) =>
      getNumbered<ChangePreview>(
        `/api/billing/preview?plan=${plan}${interval ? `&interval=${interval}` : ''}`,
        read,
      ),
    staleTime: 0,
    gcTime: 0,
  });

export const upgradeToPro = (body: UpgradeBody) =>
  apiPost<UpgradeResult>('/api/stripe/upgrade', body);

export const changePlan = (body: ChangePlanBody) =>
  apiPost<BillingOverview>('/api/billing/change', body);

export const cancelPlan = () => apiPost<BillingOverview>('/api/billing/cancel');

export const resumePlan = () => apiPost<BillingOverview>('/api/billing/resume');

export const openPortal = () => apiPost<PortalResult>('/api/billing/portal');
