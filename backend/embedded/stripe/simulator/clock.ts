import { expireCheckout } from './checkouts.ts';
import { addInvoice, collect, payInvoice } from './invoices.ts';
import { periodEndAfter } from './periods.ts';
import type { Card, CustomerState, Draft, SubscriptionState } from './state.ts';
import { endSubscription, periodLine, priceOf, subscriptionOf } from './subscriptions.ts';

interface Due {
  at: Date;
  run: (draft: Draft) => void;
}

/** All scheduled changes, each with the customer's time of it. */
function schedule(state: CustomerState): Due[] {
  const expiries = state.checkouts
    .filter(({ status }) => status === 'open')
    .map(({ id, expiresAt }) => ({
      at: expiresAt,
      run: (draft: Draft) => expireCheckout(draft, id),
    }));
  const ends = state.subscriptions
    .filter(({ status }) => status === 'active' || status === 'past_due')
    .map(({ id, periodEndsAt }) => ({
      at: periodEndsAt,
      run: (draft: Draft) => endPeriod(draft, subscriptionOf(draft, id)),
    }));
  const retries = state.invoices.flatMap(({ id, nextAttemptAt }) =>
    nextAttemptAt ? [{ at: nextAttemptAt, run: (draft: Draft) => payInvoice(draft, id) }] : [],
  );
  return [...expiries, ...ends, ...retries].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Renews a subscription at the next price, or ends it when it was cancelled. */
function endPeriod(draft: Draft, subscription: SubscriptionState): void {
  if (subscription.cancelsAtPeriodEnd) {
    endSubscription(draft, subscription);
    return;
  }
  const former = priceOf(draft.prices, subscription.priceId);
  const next = priceOf(draft.prices, subscription.schedule?.nextPriceId ?? former.id);
  const startsAt = subscription.periodEndsAt;
  if (former.interval !== next.interval) subscription.anchor = startsAt;
  subscription.priceId = next.id;
  subscription.schedule = null;
  subscription.periodStartsAt = startsAt;
  subscription.periodEndsAt = periodEndAfter(subscription.anchor, next.interval, startsAt);
  collect(draft, subscription, addInvoice(draft, subscription, [periodLine(next)]));
}

/** Makes all due changes, each at its own time. */
export function catchUp(draft: Draft): void {
  const until = draft.now;
  for (;;) {
    const due = schedule(draft.state)[0];
    if (!due || due.at > until) break;
    draft.now = due.at;
    due.run(draft);
  }
  draft.now = until;
}

/** Advances the customer's clock to `to` and makes all changes due by then. */
export function advance(draft: Draft, to: Date): void {
  if (to <= draft.now) return;
  draft.state.clockAheadMs += to.getTime() - draft.now.getTime();
  draft.now = to;
  catchUp(draft);
}

/** Advances the clock to the end of the period; `card` decides the renewal's charge. */
export function endPeriodNow(draft: Draft, id: string, card: Card): void {
  const { state } = draft;
  const former = state.card;
  state.card = card;
  advance(draft, subscriptionOf(draft, id).periodEndsAt);
  state.card = former;
}

/** The time of the customer's next scheduled change, in real time. */
export function nextChangeAt(state: CustomerState): Date | null {
  const at = schedule(state)[0]?.at;
  return at ? new Date(at.getTime() - state.clockAheadMs) : null;
}
