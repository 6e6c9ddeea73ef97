import type { Action } from '../simulator/simulator.ts';
import type { CustomerState, Price, SubscriptionState } from '../simulator/state.ts';
import { priceOf, releaseSchedule, setCancellation } from '../simulator/subscriptions.ts';
import { invoiceTable } from './invoice.ts';
import { button, date, facts, type Html, html } from './page.ts';

const running = ({ subscriptions }: CustomerState): SubscriptionState | undefined =>
  subscriptions.findLast(({ status }) => status !== 'canceled');

/** Changes the cancellation of the subscription that has not ended. */
const cancellation =
  (cancels: boolean): Action =>
  (draft) => {
    const subscription = running(draft.state);
    if (!subscription) return;
    if (cancels) releaseSchedule(draft, subscription.id);
    setCancellation(draft, subscription.id, cancels);
  };

const card =
  (next: CustomerState['card']): Action =>
  ({ state }) => {
    state.card = next;
  };

/** The action of each button of the portal. */
export const PORTAL_ACTIONS = new Map<string, Action>([
  ['card-works', card('works')],
  ['card-declined', card('declined')],
  ['cancel', cancellation(true)],
  ['resume', cancellation(false)],
]);

/** The portal of an id; undefined when it does not exist or is too old. */
export const portalOf = (state: CustomerState | null, id: string, now: Date) =>
  state?.portals.find((portal) => portal.id === id && portal.expiresAt > now);

export function portalPage(
  state: CustomerState,
  { id, returnUrl, prices }: { id: string; returnUrl: string; prices: readonly Price[] },
): Html {
  const subscription = running(state);
  const action = (name: string) => `/test-portal/${id}/${name}`;
  return html`<main>
<h1>Your subscription</h1>
${subscription ? planOf(subscription, { prices, action }) : html`<p class="muted">There is no subscription now.</p>`}
<h2>Card</h2>
<p class="muted">The next charge meets a card that ${state.card === 'works' ? 'works' : 'is declined'}.</p>
<div class="row">${button(action('card-works'), 'Card that works')}${button(action('card-declined'), 'Card that is declined')}</div>
<h2>Invoices</h2>
${invoiceTable(state.invoices)}
<footer><a href="${returnUrl}">Return to STOLAS</a></footer>
</main>`;
}

function planOf(
  { priceId, cancelsAtPeriodEnd, periodEndsAt, schedule }: SubscriptionState,
  { prices, action }: { prices: readonly Price[]; action: (name: string) => string },
): Html {
  const { name, interval } = priceOf(prices, priceId);
  const next = schedule?.nextPriceId;
  return html`${facts([
    ['Plan', `${name}, ${interval === 'month' ? 'monthly' : 'yearly'}`],
    [cancelsAtPeriodEnd ? 'Ends' : 'Renews', date(periodEndsAt)],
    ...(next ? [['Then', priceOf(prices, next).name] as const] : []),
  ])}
<div class="row">${
    cancelsAtPeriodEnd
      ? button(action('resume'), 'Keep subscription', 'primary')
      : button(action('cancel'), 'Cancel at the end of the period', 'danger')
  }</div>`;
}
