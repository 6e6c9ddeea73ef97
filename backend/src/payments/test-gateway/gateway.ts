import {
  type CheckoutRequest,
  GatewayError,
  type PaymentGateway,
  SignatureError,
  type SubscriptionSnapshot,
} from '../port.ts';
import { readSignedEvent } from '../read-event.ts';
import { checkoutOf, expireCheckout } from '../simulator/checkouts.ts';
import { missing, RefusedError } from '../simulator/errors.ts';
import { balanceOf } from '../simulator/invoices.ts';
import type { Action, Simulator } from '../simulator/simulator.ts';
import { checkoutSnapshot, invoiceSnapshot, subscriptionSnapshot } from '../simulator/snapshots.ts';
import type { CustomerState, SubscriptionState } from '../simulator/state.ts';
import {
  changePriceNow,
  createSchedule,
  deleteCustomer,
  endSubscription,
  linesOfChange,
  releaseSchedule,
  setCancellation,
  setNextPrice,
  subscriptionOf,
} from '../simulator/subscriptions.ts';
import { withErrors } from '../typed-errors.ts';

const PAGE = 100;
const PORTAL_MS = 60 * 60_000;
const PORTALS_KEPT = 5;

export interface TestGatewayDeps {
  simulator: Simulator;
  /** What signs the events. */
  secret: () => Promise<string>;
  makeId: (prefix: string) => string;
  now: () => Date;
  /** Where the pages are, without a slash at the end. */
  pagesUrl: string;
}

/** Payments that are tests: customers, cards and invoices exist only here, and no money moves. */
export const createTestGateway = (deps: TestGatewayDeps): PaymentGateway =>
  withErrors({ isTest: true, ...checkouts(deps), ...subscriptions(deps), ...rest(deps) }, typed);

const typed = (error: unknown): Error => {
  if (error instanceof GatewayError || error instanceof SignatureError) return error;
  if (!(error instanceof RefusedError))
    return new GatewayError('unavailable', 'The test gateway did not answer.', { cause: error });
  const reason = error.reason === 'declined' ? 'declined' : 'invalid';
  return new GatewayError(reason, error.message, { cause: error });
};

function checkouts({ simulator, pagesUrl }: TestGatewayDeps) {
  return {
    createCheckout: async (request) => {
      const { idempotencyKey, ui: _ui, ...checkout } = request;
      const id = await simulator.createCheckout(
        { ...checkout, embedded: false },
        { key: `checkout:${idempotencyKey}`, asked: askedOf(request) },
      );
      return { id, url: `${pagesUrl}/test-checkout/${id}` };
    },
    findCheckout: async (id) => {
      const state = await simulator.find(id);
      const checkout = state?.checkouts.find((each) => each.id === id);
      return state && checkout ? checkoutSnapshot(state, checkout) : null;
    },
    expireCheckout: (id) =>
      simulator.update(id, (draft) => {
        if (checkoutOf(draft, id).status === 'open') expireCheckout(draft, id);
      }),
  } satisfies Partial<PaymentGateway>;
}

function subscriptions({ simulator }: TestGatewayDeps) {
  const findSubscription = async (id: string): Promise<SubscriptionSnapshot | null> => {
    const state = await simulator.find(id);
    const found = state?.subscriptions.find((subscription) => subscription.id === id);
    return state && found ? subscriptionSnapshot(state, found) : null;
  };
  const current = async (id: string): Promise<SubscriptionSnapshot> => {
    const found = await findSubscription(id);
    if (!found) throw missing('subscription', id);
    return found;
  };
  return {
    findSubscription,
    listSubscriptions: async (customerId) => {
      const state = await simulator.find(customerId);
      return state ? latestFirst(state) : [];
    },
    allSubscriptions: async function* () {
      let after: string | null = null;
      do {
        const page = await simulator.store.page({ after, limit: PAGE });
        for (const { state } of page) yield* latestFirst(state);
        after = page.length < PAGE ? null : (page.at(-1)?.state.id ?? null);
      } while (after !== null);
    },
    changePrice: async ({ subscriptionId: id, priceId, when, prorationDate, idempotencyKey }) => {
      const once = { key: `change:${idempotencyKey}`, asked: `${id} ${priceId} ${when}` };
      const change =
        when === 'now' ? changeNow(id, { priceId, prorationDate }) : changeAtPeriodEnd(id, priceId);
      await simulator.updateOnce(id, once, (draft) => {
        change(draft);
        return null;
      });
      return current(id);
    },
    previewChange: ({ subscriptionId: id, priceId, when, prorationDate }) =>
      simulator.update(id, (draft) => {
        const at = prorationDate ?? draft.now;
        const change = { priceId, prorationDate: at };
        const lines = when === 'now' ? linesOfChange(draft, subscriptionOf(draft, id), change) : [];
        const { amountDue: amount, credit } = balanceOf(draft.state, lines);
        return { prorationDate: at, amount, credit, currency: 'usd' };
      }),
    setCancellation: async (id, cancels) => {
      await simulator.update(id, (draft) => {
        if (cancels) releaseSchedule(draft, id);
        setCancellation(draft, id, cancels);
      });
      return current(id);
    },
    cancelNow: (id) =>
      simulator.update(id, (draft) => endSubscription(draft, subscriptionOf(draft, id))),
  } satisfies Partial<PaymentGateway>;
}

function rest({ simulator, secret, makeId, now, pagesUrl }: TestGatewayDeps) {
  const customerOf = async (name: string): Promise<string | null> => {
    const state = await simulator.find(name);
    return state?.exists ? state.id : null;
  };
  return {
    createPortal: async ({ customerId, returnUrl }) => {
      const id = makeId('bps');
      await simulator.update(customerId, ({ state, realNow }) => {
        const expiresAt = new Date(realNow.getTime() + PORTAL_MS);
        state.portals = [...state.portals, { id, returnUrl, expiresAt }].slice(-PORTALS_KEPT);
      });
      return { url: `${pagesUrl}/test-portal/${id}` };
    },
    listInvoices: async (customerId, limit) => {
      const invoices = (await simulator.find(customerId))?.invoices ?? [];
      const latest = invoices.toReversed().slice(0, limit);
      return latest.map((invoice) =>
        invoiceSnapshot(invoice, `${pagesUrl}/test-invoice/${invoice.id}`),
      );
    },
    readEvent: async (rawBody, signature) => {
      const options = { secret: await secret(), customerOfCharge: customerOf, now };
      return readSignedEvent({ rawBody, signature }, options);
    },
    removeCustomer: async (customerId) => {
      if (await customerOf(customerId)) await simulator.update(customerId, deleteCustomer);
    },
  } satisfies Partial<PaymentGateway>;
}

const latestFirst = (state: CustomerState): SubscriptionSnapshot[] =>
  state.subscriptions
    .toReversed()
    .map((subscription: SubscriptionState) => subscriptionSnapshot(state, subscription));

const askedOf = ({ idempotencyKey: _key, ...asked }: CheckoutRequest): string =>
  JSON.stringify(Object.entries(asked).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const changeNow =
  (id: string, change: Parameters<typeof changePriceNow>[2]): Action =>
  (draft) => {
    changePriceNow(draft, id, change);
    releaseSchedule(draft, id);
    setCancellation(draft, id, false);
  };

const changeAtPeriodEnd =
  (id: string, priceId: string): Action =>
  (draft) => {
    releaseSchedule(draft, id);
    if (subscriptionOf(draft, id).priceId === priceId) return;
    setCancellation(draft, id, false);
    createSchedule(draft, id);
    setNextPrice(draft, id, priceId);
  };
