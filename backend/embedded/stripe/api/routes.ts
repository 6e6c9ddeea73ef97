import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import * as z from 'zod';
import { checkoutOf, expireCheckout, type NewCheckout } from '../simulator/checkouts.ts';
import { invalid, missing, RefusedError } from '../simulator/errors.ts';
import { balanceOf } from '../simulator/invoices.ts';
import { secondsOf } from '../simulator/periods.ts';
import type { Once, Provider, Simulator } from '../simulator/simulator.ts';
import type { ChargeState, CustomerState, SubscriptionState } from '../simulator/state.ts';
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
import { render } from './expand.ts';
import {
  chargeObject,
  disputeObject,
  invoiceObject,
  list,
  scheduleObject,
  sessionObject,
  subscriptionObject,
} from './objects.ts';

const CUSTOMERS_PER_QUERY = 100;
const PORTAL_MS = 60 * 60_000;
const PORTALS_KEPT = 5;

const Expand = z.object({ expand: z.array(z.string()).optional() });
const Page = Expand.extend({
  limit: z.coerce.number().int().min(1).max(100).default(10),
  starting_after: z.string().optional(),
});
const seconds = z.coerce.number().transform((value) => new Date(value * 1_000));
const yes = z.enum(['true', 'false']).transform((value) => value === 'true');

const NewSession = Expand.extend({
  mode: z.literal('subscription'),
  line_items: z.tuple([z.strictObject({ price: z.string(), quantity: z.literal('1') })]),
  client_reference_id: z.string(),
  subscription_data: z.strictObject({ metadata: z.strictObject({ ownerId: z.string() }) }),
  customer: z.string().optional(),
  customer_email: z.email().optional(),
  ui_mode: z.enum(['hosted_page', 'elements']).default('hosted_page'),
  success_url: z.url().optional(),
  cancel_url: z.url().optional(),
  return_url: z.url().optional(),
}).strict();

const SubscriptionUpdate = Expand.extend({
  items: z.tuple([z.strictObject({ id: z.string(), price: z.string() })]).optional(),
  billing_cycle_anchor: z.strictObject({ type: z.literal('now') }).optional(),
  proration_behavior: z.literal('always_invoice').optional(),
  proration_date: seconds.optional(),
  payment_behavior: z.literal('error_if_incomplete').optional(),
  cancel_at_period_end: yes.optional(),
}).strict();

const Preview = Expand.extend({
  subscription: z.string(),
  subscription_details: z.strictObject({
    items: z.tuple([z.strictObject({ id: z.string(), price: z.string() })]),
    billing_cycle_anchor: z.strictObject({ type: z.literal('now') }),
    proration_behavior: z.literal('always_invoice'),
    proration_date: seconds,
  }),
}).strict();

const PhaseItems = z.tuple([z.strictObject({ price: z.string(), quantity: z.literal('1') })]);
const ScheduleUpdate = Expand.extend({
  end_behavior: z.literal('release'),
  phases: z.tuple([
    z.strictObject({
      items: PhaseItems,
      start_date: z.coerce.number(),
      end_date: z.coerce.number(),
    }),
    z.strictObject({
      items: PhaseItems,
      start_date: z.coerce.number(),
      duration: z.strictObject({
        interval: z.enum(['month', 'year']),
        interval_count: z.literal('1'),
      }),
      proration_behavior: z.literal('none'),
    }),
  ]),
}).strict();

interface Call {
  req: Request;
  id: string;
  simulator: Simulator;
  provider: Provider;
}

type Handler = (call: Call) => Promise<object>;

/** Answers one request of the API, by method and path. */
export function stripeRoutes(provider: Provider) {
  const { simulator } = provider;
  return async (req: Request): Promise<unknown> => {
    for (const [route, handle] of ROUTES) {
      const id = match(route, `${req.method} ${req.path}`);
      if (id === null) continue;
      const { expand = [] } = Expand.parse(inputOf(req));
      return render(await handle({ req, id, simulator, provider }), expand);
    }
    throw new RefusedError('missing', `Unrecognized request URL (${req.method}: ${req.path}).`);
  };
}

const inputOf = ({ method, query, body }: Request): unknown =>
  method === 'GET' ? query : (body ?? {});

function match(route: string, asked: string): string | null {
  const found = new RegExp(`^${route.replace(':id', String.raw`(\w+)`)}$`).exec(asked);
  return found && (found[1] ?? '');
}

async function stateOf({ simulator }: Call, what: string, id: string): Promise<CustomerState> {
  const state = await simulator.find(id);
  if (!state) throw missing(what, id);
  return state;
}

async function allCustomers({ store }: Simulator): Promise<CustomerState[]> {
  const all: CustomerState[] = [];
  for (let after: string | null = null; ; ) {
    const page = await store.page({ after, limit: CUSTOMERS_PER_QUERY });
    all.push(...page.map(({ state }) => state));
    if (page.length < CUSTOMERS_PER_QUERY) return all;
    after = page.at(-1)?.state.id ?? null;
  }
}

/** The same key takes effect once. As at Stripe, it is kept for a day, even when the request was declined. */
const onceOf = ({ req: { method, path, body, headers } }: Call): Once => {
  const key = headers['idempotency-key'];
  return {
    key: typeof key === 'string' ? key : randomUUID(),
    asked: JSON.stringify([method, path, body]),
  };
};

const pageOf = (
  rows: readonly { id: string }[],
  { limit, starting_after: after }: z.output<typeof Page>,
) => {
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  return list(rows.slice(from, from + limit), rows.length > from + limit);
};

const ROUTES: readonly (readonly [string, Handler])[] = [
  ['POST /v1/checkout/sessions', (call) => createSession(call)],
  ['GET /v1/checkout/sessions/:id', (call) => session(call)],
  [
    'POST /v1/checkout/sessions/:id/expire',
    async (call) => {
      const { id } = call;
      await call.simulator.update(id, (draft) => expireCheckout(draft, id));
      return session(call);
    },
  ],
  ['GET /v1/subscriptions', (call) => subscriptionList(call)],
  ['GET /v1/subscriptions/:id', (call) => subscription(call)],
  ['POST /v1/subscriptions/:id', (call) => updateSubscription(call)],
  [
    'DELETE /v1/subscriptions/:id',
    async (call) => {
      const { id } = call;
      await call.simulator.update(id, (draft) => {
        const found = subscriptionOf(draft, id);
        if (found.status === 'canceled') throw missing('subscription', id);
        endSubscription(draft, found);
      });
      return subscription(call);
    },
  ],
  [
    'POST /v1/subscription_schedules',
    async (call) => {
      const { from_subscription: id } = z
        .object({ from_subscription: z.string() })
        .parse(call.req.body);
      await call.simulator.updateOnce(id, onceOf(call), (draft) => createSchedule(draft, id));
      return scheduleObject(subscriptionOf({ state: await stateOf(call, 'subscription', id) }, id));
    },
  ],
  ['GET /v1/subscription_schedules/:id', async (call) => scheduleObject(await scheduled(call))],
  ['POST /v1/subscription_schedules/:id', (call) => updateSchedule(call)],
  [
    'POST /v1/subscription_schedules/:id/release',
    async (call) => {
      const { id } = await scheduled(call);
      await call.simulator.update(id, (draft) => releaseSchedule(draft, id));
      return { id: call.id, object: 'subscription_schedule' };
    },
  ],
  [
    'GET /v1/invoices',
    async (call) => {
      const page = Page.extend({ customer: z.string() }).strict().parse(call.req.query);
      const state = await stateOf(call, 'customer', page.customer);
      const rows = state.invoices.toReversed().map((one) => invoiceObject(one, call.provider));
      return pageOf(rows, page);
    },
  ],
  ['POST /v1/invoices/create_preview', (call) => previewInvoice(call)],
  ['GET /v1/charges', (call) => chargeList(call)],
  [
    'GET /v1/charges/:id',
    async (call) => {
      const state = await stateOf(call, 'charge', call.id);
      return chargeObject(state, chargeIn(state, call.id));
    },
  ],
  [
    'GET /v1/disputes',
    async (call) => {
      const { charge: id } = Page.extend({ charge: z.string() }).strict().parse(call.req.query);
      const { dispute } = chargeIn(await stateOf(call, 'charge', id), id);
      return list(dispute ? [disputeObject(dispute)] : []);
    },
  ],
  ['POST /v1/billing_portal/sessions', (call) => createPortal(call)],
  [
    'DELETE /v1/customers/:id',
    async (call) => {
      await existing(call, call.id);
      await call.simulator.update(call.id, deleteCustomer);
      return { id: call.id, object: 'customer', deleted: true };
    },
  ],
];

/** A customer that was not deleted. */
async function existing(call: Call, id: string): Promise<CustomerState> {
  const state = await stateOf(call, 'customer', id);
  if (state.deleted || !state.exists) throw missing('customer', id);
  return state;
}

async function createSession(call: Call): Promise<object> {
  const { simulator, req } = call;
  const body = NewSession.parse(req.body);
  const embedded = body.ui_mode === 'elements';
  const { success_url: success, cancel_url: cancel, return_url: back } = body;
  if (embedded ? !back || success || cancel : !success || back)
    throw invalid('The addresses do not fit this ui_mode.');
  const checkout: NewCheckout = {
    ownerId: body.client_reference_id,
    priceId: body.line_items[0].price,
    successUrl: success ?? back ?? '',
    cancelUrl: cancel ?? '',
    embedded,
  };
  const { customer: customerId = null, customer_email: email = '' } = body;
  if (customerId !== null) await existing(call, customerId);
  const id = await simulator.createCheckout({ ...checkout, customerId, email }, onceOf(call));
  return session({ ...call, id });
}

async function createPortal({ req, ...call }: Call): Promise<object> {
  const Body = z.strictObject({ customer: z.string(), return_url: z.url() });
  const { customer, return_url: returnUrl } = Body.parse(req.body);
  await existing({ req, ...call }, customer);
  const id = await call.simulator.update(customer, ({ state, realNow, makeId }) => {
    const portal = {
      id: makeId('bps'),
      returnUrl,
      expiresAt: new Date(realNow.getTime() + PORTAL_MS),
    };
    state.portals = [...state.portals, portal].slice(-PORTALS_KEPT);
    return portal.id;
  });
  const url = `${call.provider.pagesUrl}/test-portal/${id}`;
  return { id, object: 'billing_portal.session', customer, return_url: returnUrl, url };
}

async function session(call: Call): Promise<object> {
  const state = await stateOf(call, 'checkout.session', call.id);
  return sessionObject(state, checkoutOf({ state }, call.id), call.provider);
}

async function subscription(call: Call): Promise<object> {
  const state = await stateOf(call, 'subscription', call.id);
  return subscriptionObject(state, subscriptionOf({ state }, call.id), call.provider);
}

async function subscriptionList(call: Call): Promise<object> {
  const List = Page.extend({ customer: z.string().optional(), status: z.literal('all') });
  const page = List.strict().parse(call.req.query);
  const customers =
    page.customer === undefined
      ? await allCustomers(call.simulator)
      : [await stateOf(call, 'customer', page.customer)];
  const rows = customers
    .flatMap((state) =>
      state.subscriptions.toReversed().map((one) => subscriptionObject(state, one, call.provider)),
    )
    .toSorted((a, b) => b.start_date - a.start_date);
  return pageOf(rows, { ...page, limit: Math.min(page.limit, call.provider.pageSize) });
}

async function updateSubscription(call: Call): Promise<object> {
  const { id, simulator, req } = call;
  const { items, cancel_at_period_end: cancels, ...how } = SubscriptionUpdate.parse(req.body);
  if (items && !(how.proration_behavior && how.payment_behavior && how.billing_cycle_anchor))
    throw invalid('This server knows immediate, pro-rated changes only.');
  await simulator.updateOnce(id, onceOf(call), (draft) => {
    if (items && items[0].id !== subscriptionOf(draft, id).itemId)
      throw missing('subscription_item', items[0].id);
    const { proration_date: prorationDate } = how;
    if (items) changePriceNow(draft, id, { priceId: items[0].price, prorationDate });
    if (cancels !== undefined) setCancellation(draft, id, cancels);
    return null;
  });
  return subscription(call);
}

async function previewInvoice({ simulator, req }: Call): Promise<object> {
  const { subscription: id, subscription_details: details } = Preview.parse(req.body);
  const [{ price: priceId }] = details.items;
  return simulator.update(id, (draft) => {
    const change = { priceId, prorationDate: details.proration_date };
    const lines = linesOfChange(draft, subscriptionOf(draft, id), change);
    return {
      object: 'invoice',
      currency: 'usd',
      amount_due: balanceOf(draft.state, lines).amountDue,
      total: lines.reduce((sum, { amount }) => sum + amount, 0),
      // At Stripe credit is negative.
      starting_balance: -draft.state.credit,
    };
  });
}

/** The subscription of the schedule in the path. */
async function scheduled(call: Call): Promise<SubscriptionState> {
  const state = await stateOf(call, 'subscription_schedule', call.id);
  const found = state.subscriptions.find(({ schedule }) => schedule?.id === call.id);
  if (!found) throw missing('subscription_schedule', call.id);
  return found;
}

async function updateSchedule(call: Call): Promise<object> {
  const [present, next] = ScheduleUpdate.parse(call.req.body).phases;
  const { id, priceId, periodStartsAt, periodEndsAt } = await scheduled(call);
  const fits =
    present.items[0].price === priceId &&
    present.start_date === secondsOf(periodStartsAt) &&
    present.end_date === secondsOf(periodEndsAt) &&
    next.start_date === present.end_date;
  if (!fits) throw invalid('The present phase cannot be changed here.');
  await call.simulator.update(id, (draft) => setNextPrice(draft, id, next.items[0].price));
  return scheduleObject(await scheduled(call));
}

async function chargeList(call: Call): Promise<object> {
  const List = Page.extend({
    customer: z.string().optional(),
    payment_intent: z.string().optional(),
  });
  const page = List.strict().parse(call.req.query);
  const state = await stateOf(call, 'customer', page.customer ?? page.payment_intent ?? '');
  const rows = state.invoices
    .toReversed()
    .flatMap(({ charge }) => charge ?? [])
    .filter(({ paymentIntentId: id }) => id === (page.payment_intent ?? id))
    .map((charge) => chargeObject(state, charge));
  return pageOf(rows, page);
}

function chargeIn(state: CustomerState, id: string): ChargeState {
  const found = state.invoices.find(({ charge }) => charge?.id === id)?.charge;
  if (!found) throw missing('charge', id);
  return found;
}
