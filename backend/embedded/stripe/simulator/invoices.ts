import { invalid, missing } from './errors.ts';
import { emitDispute, emitInvoice, emitRefund, emitSubscription } from './events.ts';
import type {
  ChargeState,
  CustomerState,
  Draft,
  InvoiceState,
  SubscriptionState,
} from './state.ts';

const DAY_MS = 24 * 60 * 60_000;
/** A declined renewal is charged again every three days, three times; then the provider gives up. */
const RETRY_EVERY_MS = 3 * DAY_MS;
const MAX_ATTEMPTS = 4;

/** The amount due for `lines`, less the customer's credit; a negative sum becomes credit. */
export function balanceOf({ credit }: Pick<CustomerState, 'credit'>, lines: InvoiceState['lines']) {
  const due = lines.reduce((sum, { amount }) => sum + amount, 0) - credit;
  return { amountDue: Math.max(0, due), credit: Math.max(0, -due) };
}

/** Adds an open invoice of `lines`, reduced by the customer's credit. */
export function addInvoice(
  { state, now, makeId }: Draft,
  subscription: SubscriptionState,
  lines: InvoiceState['lines'],
): InvoiceState {
  const { amountDue, credit } = balanceOf(state, lines);
  state.credit = credit;
  const invoice: InvoiceState = {
    id: makeId('in'),
    number: `${state.id.slice(-8).toUpperCase()}-${String(state.invoices.length + 1).padStart(4, '0')}`,
    subscriptionId: subscription.id,
    createdAt: now,
    lines,
    amountDue,
    status: 'open',
    attempts: 0,
    nextAttemptAt: null,
    charge: null,
  };
  state.invoices.push(invoice);
  subscription.latestInvoiceId = invoice.id;
  return invoice;
}

/** Charges an open invoice. False when the card was declined. */
export function chargeInvoice({ state, makeId }: Draft, invoice: InvoiceState): boolean {
  invoice.attempts += 1;
  if (invoice.amountDue > 0) {
    if (state.card === 'declined') return false;
    invoice.charge = {
      id: makeId('ch'),
      paymentIntentId: makeId('pi'),
      amount: invoice.amountDue,
      refunded: 0,
      dispute: null,
    };
  }
  invoice.status = 'paid';
  invoice.nextAttemptAt = null;
  return true;
}

/** Charges the invoice of a renewal and sets the resulting status of the subscription. */
export function collect(
  draft: Draft,
  subscription: SubscriptionState,
  invoice: InvoiceState,
): void {
  const paid = chargeInvoice(draft, invoice);
  const givesUp = invoice.attempts >= MAX_ATTEMPTS;
  if (!paid)
    invoice.nextAttemptAt = givesUp ? null : new Date(draft.now.getTime() + RETRY_EVERY_MS);
  if (subscription.status !== 'canceled')
    subscription.status = paid ? 'active' : givesUp ? 'unpaid' : 'past_due';
  emitInvoice(draft, paid ? 'paid' : 'payment_failed', invoice);
  emitSubscription(draft, 'updated', subscription);
}

/** Stops charging the open invoices of a subscription. */
export function stopCollecting({ state }: Draft, subscription: SubscriptionState): void {
  for (const invoice of state.invoices)
    if (invoice.subscriptionId === subscription.id) invoice.nextAttemptAt = null;
}

export function invoiceOf({ state }: Pick<Draft, 'state'>, id: string): InvoiceState {
  const found = state.invoices.find((invoice) => invoice.id === id);
  if (!found) throw missing('invoice', id);
  return found;
}

/** Charges an open invoice now; a declined charge leaves it open. */
export function payInvoice(draft: Draft, invoiceId: string): void {
  const invoice = invoiceOf(draft, invoiceId);
  if (invoice.status !== 'open') throw invalid('Invoice is already paid');
  const subscription = draft.state.subscriptions.find(({ id }) => id === invoice.subscriptionId);
  if (!subscription) throw missing('subscription', invoice.subscriptionId);
  collect(draft, subscription, invoice);
}

/** The payment of an invoice, by the id of the invoice, the charge or the payment intent. */
function paymentOf({ state }: Draft, id: string): ChargeState {
  const invoice = state.invoices.find(
    (each) => each.id === id || each.charge?.id === id || each.charge?.paymentIntentId === id,
  );
  if (!invoice) throw missing('charge', id);
  if (!invoice.charge) throw invalid('This invoice has no payment.');
  return invoice.charge;
}

/** Refunds `amount` in cents; the whole rest when undefined. */
export function refund(draft: Draft, paymentId: string, amount?: number): void {
  const charge = paymentOf(draft, paymentId);
  const left = charge.amount - charge.refunded;
  const refunded = amount ?? left;
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`);
  if (!Number.isInteger(refunded) || refunded <= 0 || refunded > left)
    throw invalid('Refund amount is greater than unrefunded amount on charge');
  charge.refunded += refunded;
  emitRefund(draft, charge);
}

export function openDispute(draft: Draft, paymentId: string): void {
  const charge = paymentOf(draft, paymentId);
  if (charge.dispute) throw invalid('This payment was disputed before.');
  charge.dispute = { id: draft.makeId('dp'), status: 'needs_response' };
  emitDispute(draft, 'created', charge);
}

export function closeDispute(draft: Draft, paymentId: string, status: 'won' | 'lost'): void {
  const charge = paymentOf(draft, paymentId);
  if (charge.dispute?.status !== 'needs_response') throw invalid('There is no open dispute.');
  charge.dispute.status = status;
  emitDispute(draft, 'closed', charge);
}
