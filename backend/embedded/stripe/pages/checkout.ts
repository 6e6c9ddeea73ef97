import { checkoutOf, declineCheckout, payCheckout } from '../simulator/checkouts.ts';
import type { Simulator } from '../simulator/simulator.ts';
import type { CheckoutState, Price } from '../simulator/state.ts';
import { priceOf } from '../simulator/subscriptions.ts';
import { button, dollars, facts, type Html, html } from './page.ts';

const INTERVALS = {
  month: { per: 'per month', billed: 'Monthly' },
  year: { per: 'per year', billed: 'Yearly' },
};

/** The product's URL for the user after a payment. */
export const successUrl = ({ id, successUrl: url }: CheckoutState): string =>
  url.replaceAll('{CHECKOUT_SESSION_ID}', id);

/** The checkout of an id; undefined when there is none. */
export async function findCheckout(
  simulator: Simulator,
  id: string,
): Promise<CheckoutState | undefined> {
  const state = await simulator.find(id);
  return state?.checkouts.find((checkout) => checkout.id === id);
}

/** The action of each button of the checkout page; the result is the browser's next URL, null for the same page. */
export const checkoutActions = (simulator: Simulator) => ({
  pay: async (id: string): Promise<string | null> => {
    const checkout = await simulator.update(id, (draft) => {
      if (checkoutOf(draft, id).status !== 'expired') payCheckout(draft, id);
      return checkoutOf(draft, id);
    });
    return checkout.status === 'complete' ? successUrl(checkout) : null;
  },
  decline: async (id: string): Promise<string | null> => {
    await simulator.update(id, (draft) => declineCheckout(draft, id));
    return null;
  },
  cancel: async (id: string): Promise<string | null> =>
    (await findCheckout(simulator, id))?.cancelUrl ?? null,
});

export function checkoutPage(checkout: CheckoutState, prices: readonly Price[]): Html {
  const price = priceOf(prices, checkout.priceId);
  const { per, billed } = INTERVALS[price.interval];
  if (checkout.status === 'complete')
    return html`<main><h1>This payment is complete</h1>
<p class="muted">${price.name} has been paid. You can close this page.</p>
<p><a href="${successUrl(checkout)}">Return to STOLAS</a></p></main>`;
  if (checkout.status === 'expired')
    return html`<main><h1>This checkout has expired</h1>
<p class="muted">Nothing was charged. Choose the plan again.</p>
<p><a href="${checkout.cancelUrl}">Return to STOLAS</a></p></main>`;
  const action = (name: string) => `/test-checkout/${checkout.id}/${name}`;
  return html`${checkout.declined ? html`<div class="alert" role="alert">Your card was declined.</div>` : null}
<main>
<h1>Subscribe to ${price.name}</h1>
<p class="price">${dollars(price.amount)} <small>${per}</small></p>
${facts([
  ['Plan', `STOLAS ${price.name}`],
  ['Billed', billed],
  ['Due today', dollars(price.amount)],
])}
<p class="muted">Pay acts as a card that works, Decline as one that the bank refuses.</p>
<div class="actions">
${button(action('pay'), 'Pay', 'primary')}
${button(action('decline'), 'Decline')}
${button(action('cancel'), 'Cancel')}
</div>
</main>`;
}
