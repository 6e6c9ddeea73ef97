import type { InvoiceState } from '../simulator/state.ts';
import { date, dollars, facts, type Html, html } from './page.ts';

function statusText({ status, attempts, charge }: InvoiceState): string {
  if (status === 'open') return attempts > 0 ? 'Payment failed' : 'Open';
  if (charge?.dispute && charge.dispute.status !== 'won') return 'Disputed';
  if (charge && charge.refunded > 0)
    return charge.refunded === charge.amount ? 'Refunded' : 'Partially refunded';
  return 'Paid';
}

export function invoicePage(invoice: InvoiceState): Html {
  const sum = invoice.lines.reduce((total, { amount }) => total + amount, 0);
  const refunded = invoice.charge?.refunded ?? 0;
  return html`<main>
<h1>Invoice ${invoice.number}</h1>
<p class="price">${dollars(invoice.amountDue)}</p>
<p class="muted">${statusText(invoice)} · ${date(invoice.createdAt)}</p>
${facts([
  ...invoice.lines.map(({ description, amount }) => [description, dollars(amount)] as const),
  ...(sum === invoice.amountDue
    ? []
    : [['Credit of the customer', dollars(invoice.amountDue - sum)] as const]),
  ['Amount due', dollars(invoice.amountDue)],
  ...(refunded > 0 ? [['Refunded', dollars(-refunded)] as const] : []),
])}
</main>`;
}

/** A table of invoices, latest first, with a cell of actions if `actions` is given. */
export const invoiceTable = (
  invoices: readonly InvoiceState[],
  actions?: (invoice: InvoiceState) => Html,
): Html => html`<div class="scroll"><table>
<thead><tr><th scope="col">Invoice</th><th scope="col">Date</th><th scope="col">Status</th><th scope="col" class="number">Amount</th>${
  actions ? html`<th scope="col">Actions</th>` : null
}</tr></thead>
<tbody>${invoices.toReversed().map(
  (invoice) => html`<tr>
<td><a href="/test-invoice/${invoice.id}">${invoice.number}</a></td>
<td>${date(invoice.createdAt)}</td>
<td>${statusText(invoice)}</td>
<td class="number">${dollars(invoice.amountDue)}</td>
${actions ? html`<td>${actions(invoice)}</td>` : null}
</tr>`,
)}</tbody></table></div>`;
