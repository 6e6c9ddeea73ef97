import type { InvoiceStatus } from '../../contract/billing.ts';
import type {
  CheckoutSnapshot,
  GatewayInvoice,
  GatewayStatus,
  SubscriptionSnapshot,
} from '../port.ts';
import type { CheckoutState, CustomerState, InvoiceState, SubscriptionState } from './state.ts';

const STATUS: Record<SubscriptionState['status'], GatewayStatus> = {
  active: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  canceled: 'ended',
};

export function invoiceStatus({ status, attempts, charge }: InvoiceState): InvoiceStatus {
  if (status === 'open') return attempts > 0 ? 'failed' : 'open';
  if (charge?.dispute && charge.dispute.status !== 'won') return 'disputed';
  if (charge && charge.refunded > 0)
    return charge.refunded === charge.amount ? 'refunded' : 'partially_refunded';
  return status;
}

export const checkoutSnapshot = (
  state: CustomerState,
  { id, ownerId, subscriptionId, status }: CheckoutState,
): CheckoutSnapshot => ({
  id,
  ownerId,
  customerId: state.exists ? state.id : null,
  subscriptionId,
  status,
});

export function subscriptionSnapshot(
  state: CustomerState,
  subscription: SubscriptionState,
): SubscriptionSnapshot {
  const { id, ownerId, status, priceId, createdAt, schedule, latestInvoiceId } = subscription;
  const { anchor, periodStartsAt, periodEndsAt, cancelsAtPeriodEnd } = subscription;
  const invoice = state.invoices.find((each) => each.id === latestInvoiceId);
  return {
    id,
    customerId: state.id,
    ownerId,
    status: STATUS[status],
    priceId,
    startedAt: createdAt,
    anchoredAt: anchor,
    periodStartsAt,
    periodEndsAt,
    cancelsAt: cancelsAtPeriodEnd ? periodEndsAt : null,
    pendingPriceId: schedule?.nextPriceId ?? null,
    latestInvoice: invoice ? { id: invoice.id, status: invoiceStatus(invoice) } : null,
  };
}

export const invoiceSnapshot = (invoice: InvoiceState, url: string | null): GatewayInvoice => ({
  id: invoice.id,
  number: invoice.number,
  createdAt: invoice.createdAt,
  amount: invoice.amountDue,
  currency: 'usd',
  description: invoice.lines.at(-1)?.description ?? '',
  status: invoiceStatus(invoice),
  url,
});
