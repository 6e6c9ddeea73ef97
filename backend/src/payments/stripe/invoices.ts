import type { Stripe } from 'stripe';
import type { InvoiceStatus } from '../../contract/billing.ts';
import type { GatewayInvoice } from '../port.ts';
import { dateOf, idOf } from './client.ts';
import { orNull } from './errors.ts';

const PAGE = 100;
/** A dispute in one of these states takes no money: it was won, or is only an inquiry of the bank. */
const HARMLESS = new Set([
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
]);

/** Invoices; refunds and disputes are found with their charges. */
export function createInvoices(stripe: Stripe) {
  const isDisputed = async ({ id, disputed }: Stripe.Charge): Promise<boolean> => {
    if (!disputed) return false;
    const { data } = await stripe.disputes.list({ charge: id, limit: PAGE });
    return data.some(({ status }) => !HARMLESS.has(status));
  };

  const paidStatus = async (charges: readonly Stripe.Charge[]): Promise<InvoiceStatus> => {
    const disputes = await Promise.all(charges.map(isDisputed));
    if (disputes.includes(true)) return 'disputed';
    const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
    const refunded = sum(charges.map((charge) => charge.amount_refunded));
    if (refunded === 0) return 'paid';
    return refunded >= sum(charges.map(({ amount }) => amount)) ? 'refunded' : 'partially_refunded';
  };

  /** `chargesOf` is called for paid invoices only. The invoice needs its `payments`. */
  const statusOf = async (
    invoice: Stripe.Invoice,
    chargesOf: (payments: readonly Payment[]) => Promise<Stripe.Charge[]>,
  ): Promise<InvoiceStatus> => {
    if (invoice.status === 'paid') return paidStatus(await chargesOf(paymentsOf(invoice)));
    if (invoice.status === 'void') return 'void';
    if (invoice.status === 'uncollectible') return 'failed';
    return invoice.attempt_count > 0 ? 'failed' : 'open';
  };

  /** The charges that paid one invoice. */
  const fetchCharges = async (payments: readonly Payment[]): Promise<Stripe.Charge[]> =>
    (
      await Promise.all(
        payments.map(async ({ chargeId, paymentIntentId }) => {
          if (chargeId !== null) return [await stripe.charges.retrieve(chargeId)];
          if (paymentIntentId === null) return [];
          return (await stripe.charges.list({ payment_intent: paymentIntentId })).data;
        }),
      )
    )
      .flat()
      .filter(isPayment);

  return {
    /** The state of an invoice that was fetched with its `payments`. */
    statusOf: (invoice: Stripe.Invoice): Promise<InvoiceStatus> => statusOf(invoice, fetchCharges),

    listInvoices: async (customer: string, limit: number): Promise<GatewayInvoice[]> => {
      const listed = await orNull(
        stripe.invoices.list({ customer, limit: Math.min(limit, PAGE), expand: ['data.payments'] }),
      );
      const invoices = (listed?.data ?? []).filter(({ status }) => status !== 'draft');
      if (invoices.length === 0) return [];
      const chargesOf = await chargesFrom(stripe, { customer, invoices, fetchCharges });
      return Promise.all(
        invoices.map(async (invoice) => present(invoice, await statusOf(invoice, chargesOf))),
      );
    },
  };
}

/** The payment of an invoice: by a payment intent, or directly by a charge. */
interface Payment {
  chargeId: string | null;
  paymentIntentId: string | null;
}

const paymentsOf = ({ payments }: Stripe.Invoice): Payment[] =>
  (payments?.data ?? [])
    .filter(({ status }) => status === 'paid')
    .map(({ payment: { charge, payment_intent: intent } }) => ({
      chargeId: charge === undefined ? null : idOf(charge),
      paymentIntentId: intent === undefined ? null : idOf(intent),
    }));

const isPayment = ({ status }: Stripe.Charge): boolean => status === 'succeeded';

/** Finds charges among the customer's latest, so that a list of invoices costs one request for all; others are fetched. */
async function chargesFrom(
  stripe: Stripe,
  {
    customer,
    invoices,
    fetchCharges,
  }: {
    customer: string;
    invoices: readonly Stripe.Invoice[];
    fetchCharges: (payments: readonly Payment[]) => Promise<Stripe.Charge[]>;
  },
): Promise<(payments: readonly Payment[]) => Promise<Stripe.Charge[]>> {
  const isNeeded = invoices.some(({ status }) => status === 'paid');
  const listed = isNeeded ? await orNull(stripe.charges.list({ customer, limit: PAGE })) : null;
  const latest = (listed?.data ?? []).filter(isPayment);
  const matches = (charge: Stripe.Charge, { chargeId, paymentIntentId }: Payment) =>
    charge.id === chargeId ||
    (charge.payment_intent !== null && idOf(charge.payment_intent) === paymentIntentId);
  return async (payments) => {
    const known = payments.map((payment) => latest.find((charge) => matches(charge, payment)));
    const unknown = payments.filter((_payment, n) => known[n] === undefined);
    return [...known.flatMap((charge) => charge ?? []), ...(await fetchCharges(unknown))];
  };
}

const present = (invoice: Stripe.Invoice, status: InvoiceStatus): GatewayInvoice => ({
  id: invoice.id,
  number: invoice.number,
  createdAt: dateOf(invoice.created),
  amount: invoice.amount_due,
  currency: invoice.currency,
  description: invoice.description ?? invoice.lines.data.at(-1)?.description ?? '',
  status,
  url: invoice.hosted_invoice_url ?? null,
});
