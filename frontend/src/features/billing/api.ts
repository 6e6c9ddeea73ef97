import type {
  BillingOverview,
  ChangePlanBody,
  CheckoutBody,
  CheckoutResult,
  Invoice,
  Plan,
  PortalResult,
  UpgradeResult,
  VerifyBody,
  VerifyResult,
} from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGet, apiPost } from '../../lib/api.ts';
import { billingKey } from '../../realtime/index.ts';

/** The plans on sale with their price ids; what else they have is in the contract. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: () => apiGet<Plan[]>('/api/plans', { on401: 'throw' }),
});

/** The user's subscription. The socket reports changes. */
export const overviewQuery = queryOptions({
  queryKey: [...billingKey, 'overview'],
  queryFn: () => apiGet<BillingOverview>('/api/billing', { on401: 'throw' }),
});

/** The user's invoices, the latest first. The socket reports changes. */
export const invoicesQuery = queryOptions({
  queryKey: [...billingKey, 'invoices'],
  queryFn: () => apiGet<Invoice[]>('/api/billing/invoices', { on401: 'throw' }),
});

export const createCheckout = (body: CheckoutBody) =>
  apiPost<CheckoutResult>('/api/stripe/checkout', body);

export const verifyPayment = (body: VerifyBody) =>
  apiPost<VerifyResult>('/api/subscription/verify', body);

export const upgradeToPro = () => apiPost<UpgradeResult>('/api/stripe/upgrade', {});

export const changePlan = (body: ChangePlanBody) =>
  apiPost<BillingOverview>('/api/billing/change', body);

export const cancelPlan = () => apiPost<BillingOverview>('/api/billing/cancel');

export const resumePlan = () => apiPost<BillingOverview>('/api/billing/resume');

export const openPortal = () => apiPost<PortalResult>('/api/billing/portal');
