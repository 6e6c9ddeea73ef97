import { endPeriodNow } from '../simulator/clock.ts';
import { sendAgain } from '../simulator/delivery.ts';
import { closeDispute, invoiceOf, openDispute, payInvoice, refund } from '../simulator/invoices.ts';
import type { Action } from '../simulator/simulator.ts';
import type { CustomerState, InvoiceState, Price, SubscriptionState } from '../simulator/state.ts';
import { endSubscription, priceOf, subscriptionOf } from '../simulator/subscriptions.ts';
import { invoiceTable } from './invoice.ts';
import { button, date, facts, type Html, html } from './page.ts';

/** The action of each button of the operator's page on a subscription or invoice. */
export const OPERATOR_ACTIONS = new Map<string, (id: string) => Action>([
  ['renew', (id) => (draft) => endPeriodNow(draft, id, 'works')],
  ['fail-renewal', (id) => (draft) => endPeriodNow(draft, id, 'declined')],
  ['end', (id) => (draft) => endSubscription(draft, subscriptionOf(draft, id))],
  ['send-again', () => sendAgain],
  [
    'pay',
    (id) => (draft) => {
      const { card } = draft.state;
      draft.state.card = 'works';
      payInvoice(draft, id);
      draft.state.card = card;
    },
  ],
  ['refund', (id) => (draft) => refund(draft, id)],
  ['refund-half', (id) => (draft) => refund(draft, id, halfOf(invoiceOf(draft, id)))],
  ['dispute', (id) => (draft) => openDispute(draft, id)],
  ['win', (id) => (draft) => closeDispute(draft, id, 'won')],
  ['lose', (id) => (draft) => closeDispute(draft, id, 'lost')],
]);

const halfOf = ({ charge }: InvoiceState): number =>
  charge ? Math.max(1, Math.floor((charge.amount - charge.refunded) / 2)) : 0;

const act = (id: string, name: string, label: string, kind?: 'danger') =>
  button(`/test-payments/${id}/${name}`, label, kind);

export function operatorPage(
  customers: readonly CustomerState[],
  { prices, error }: { prices: readonly Price[]; error: string | null },
): Html {
  const sections = customers.flatMap((state) =>
    state.subscriptions.toReversed().map((one) => subscriptionSection(state, one, prices)),
  );
  return html`${error ? html`<div class="alert" role="alert">${error}</div>` : null}
<main class="plain">
<h1>Test payments</h1>
<p class="muted">Your test subscriptions, and what can happen to them at a payment provider. Each change
sends its events to the webhook of this server.</p>
${sections.length > 0 ? sections : html`<p>You have no test subscription. <a href="/subscription">Choose a plan</a> first.</p>`}
</main>`;
}

function subscriptionSection(
  state: CustomerState,
  subscription: SubscriptionState,
  prices: readonly Price[],
): Html {
  const { id, status, priceId, periodEndsAt, cancelsAtPeriodEnd, schedule } = subscription;
  const { name, interval } = priceOf(prices, priceId);
  const pending = state.events.filter(({ nextTryAt }) => nextTryAt !== null).length;
  const next = schedule?.nextPriceId;
  const renews = status === 'active' || status === 'past_due';
  return html`<section class="card">
<h2>${name}, ${interval === 'month' ? 'monthly' : 'yearly'}</h2>
${facts([
  ['Subscription', id],
  ['Status', status],
  [
    'Period ends',
    `${date(periodEndsAt)}${cancelsAtPeriodEnd ? ', then the subscription ends' : ''}`,
  ],
  ...(next ? [['Next period', priceOf(prices, next).name] as const] : []),
  [
    'Test clock',
    state.clockAheadMs > 0
      ? `${Math.round(state.clockAheadMs / 86_400_000)} days ahead`
      : 'the real time',
  ],
  ['Events', `${state.events.length}, of which ${pending} wait for delivery`],
])}
<div class="row">${
    renews ? html`${act(id, 'renew', 'Renew')}${act(id, 'fail-renewal', 'Fail renewal')}` : null
  }${status === 'canceled' ? null : act(id, 'end', 'End now', 'danger')}${act(id, 'send-again', 'Send all events again')}</div>
<p class="muted">Renew and Fail renewal move the test clock to the end of the paid period.</p>
${invoiceTable(
  state.invoices.filter(({ subscriptionId }) => subscriptionId === id),
  invoiceActions,
)}
</section>`;
}

function invoiceActions({ id, status, charge }: InvoiceState): Html {
  if (status === 'open') return html`<div class="row">${act(id, 'pay', 'Pay open invoice')}</div>`;
  if (!charge) return html``;
  const isRefunded = charge.refunded === charge.amount;
  const disputeIsOpen = charge.dispute?.status === 'needs_response';
  return html`<div class="row">${
    isRefunded ? null : html`${act(id, 'refund', 'Refund')}${act(id, 'refund-half', 'Refund half')}`
  }${charge.dispute ? null : act(id, 'dispute', 'Open dispute')}${
    disputeIsOpen ? html`${act(id, 'win', 'Win dispute')}${act(id, 'lose', 'Lose dispute')}` : null
  }</div>`;
}
