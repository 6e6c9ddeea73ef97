import { addCheckout, type NewCheckout } from './checkouts.ts';
import { catchUp, nextChangeAt } from './clock.ts';
import { declined, keyReused, missing, RefusedError } from './errors.ts';
import { secondsOf } from './periods.ts';
import type { CustomerState, Draft, World } from './state.ts';
import { type CustomerStore, keyName, type StoredCustomer } from './state.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Maximum number of concurrent changes of one customer; in each attempt at least one of them succeeds. */
const MAX_ATTEMPTS = 50;

/** A change of one customer. An error leaves the customer unchanged. */
export type Action<Result = void> = (draft: Draft) => Result;

/** The same key takes effect once; `asked` is the whole request. */
export interface Once {
  key: string;
  asked: string;
}

interface CheckoutRequest extends NewCheckout {
  customerId: string | null;
  email: string;
}

/** A payment provider without money: customers change by actions, each of which is one guarded write. */
export type Simulator = ReturnType<typeof createSimulator>;

/** The provider behind the API and the pages. */
export interface Provider {
  simulator: Simulator;
  /** The URL of the product, which shows the pages; without a slash at the end. */
  pagesUrl: string;
  /** Maximum number of subscriptions per answer. */
  pageSize: number;
}

export function createSimulator({ store, world }: { store: CustomerStore; world: World }) {
  let changed = () => {};
  const now = () => new Date(secondsOf(world.now()) * 1_000);

  /** Null when another change was first. */
  const tryOnce = async <Result>(
    { state, version }: StoredCustomer,
    action: Action<Result>,
  ): Promise<{ result: Result } | null> => {
    const draft = draftOf({ ...world, now }, state);
    catchUp(draft);
    const result = action(draft);
    if (!(await store.replace(draft.state, version))) return null;
    changed();
    return { result };
  };

  const update: Update = async (name, action) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await store.find(name);
      if (!found) throw missing('object', name);
      const done = await tryOnce(found, action);
      if (done) return done.result;
    }
    throw new Error(`The customer of ${name} changes all the time.`);
  };
  const base = { store, ...world, now, update };

  return {
    ...base,
    /** As `update`, once for each key. */
    updateOnce: (name: string, once: Once, action: Action<string | null>) =>
      updateOnce(base, name, { once, action }),
    /** Registers `listener` for every change in this process. */
    onChange: (listener: () => void): void => {
      changed = listener;
    },

    /** The customer of an id, after all due changes; null when it does not exist. */
    find: async (name: string): Promise<CustomerState | null> => {
      const found = await store.find(name);
      if (!found) return null;
      const due = nextChangeAt(found.state);
      if (!due || due > now()) return found.state;
      return update(name, ({ state }) => state);
    },

    /** Creates a checkout and returns its id. Without a customer it creates one, which exists once the checkout is paid. */
    createCheckout: (request: CheckoutRequest, once: Once): Promise<string> =>
      createCheckout(base, request, once),
  };
}

type Update = <Result>(name: string, action: Action<Result>) => Promise<Result>;

interface Base extends World {
  store: CustomerStore;
  update: Update;
}

/** `world.now` has whole seconds. */
function draftOf(world: World, state: CustomerState): Draft {
  const realNow = world.now();
  state.requests = state.requests.filter(({ at }) => at.getTime() > realNow.getTime() - DAY_MS);
  const now = new Date(realNow.getTime() + state.clockAheadMs);
  return { state, now, realNow, makeId: world.makeId, prices: world.prices };
}

async function updateOnce(
  { update }: Base,
  name: string,
  { once, action }: { once: Once; action: Action<string | null> },
): Promise<string | null> {
  try {
    return await update(name, keyed(once, action));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.reason !== 'declined') throw error;
    await update(name, (draft) => recordDecline(draft, once));
    throw error;
  }
}

async function createCheckout(base: Base, request: CheckoutRequest, once: Once): Promise<string> {
  const { customerId, email: _email, ...checkout } = request;
  const add = keyed(once, (draft) => addCheckout(draft, checkout).id);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const name = customerId ?? keyName(once.key);
    const found = await base.store.find(name);
    if (found) return required(await base.update(name, add));
    if (customerId !== null) throw missing('customer', customerId);
    const draft = draftOf(base, newCustomer(base, request));
    const id = add(draft);
    if (await base.store.insert(draft.state)) return required(id);
  }
  throw new Error('The checkout could not be stored.');
}

const newCustomer = (
  { makeId, now }: World,
  { ownerId, email }: CheckoutRequest,
): CustomerState => ({
  id: makeId('cus'),
  ownerId,
  email,
  createdAt: now(),
  exists: false,
  deleted: false,
  card: 'works',
  clockAheadMs: 0,
  credit: 0,
  checkouts: [],
  subscriptions: [],
  invoices: [],
  events: [],
  requests: [],
  portals: [],
});

const keyed =
  ({ key, asked }: Once, action: Action<string | null>): Action<string | null> =>
  (draft) => {
    const former = draft.state.requests.find((request) => request.key === key);
    if (former) {
      if (former.asked !== asked) throw keyReused();
      if (former.declined) throw declined();
      return former.result;
    }
    const result = action(draft);
    draft.state.requests.push({ key, asked, at: draft.realNow, result, declined: false });
    return result;
  };

function recordDecline({ state, realNow }: Draft, { key, asked }: Once): void {
  if (state.requests.some((request) => request.key === key)) return;
  state.requests.push({ key, asked, at: realNow, result: null, declined: true });
}

function required(id: string | null): string {
  if (id === null) throw new Error('The request created nothing.');
  return id;
}
