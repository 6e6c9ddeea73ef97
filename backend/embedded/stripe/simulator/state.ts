import type { BillingInterval } from '../../../src/contract/plans.ts';

/** A price that can be paid. */
export interface Price {
  id: string;
  /** The plan's name on invoices. */
  name: string;
  interval: BillingInterval;
  /** In cents. */
  amount: number;
}

/** The result of a charge: paid or declined. */
export type Card = 'works' | 'declined';

export interface CheckoutState {
  id: string;
  ownerId: string;
  priceId: string;
  status: 'open' | 'complete' | 'expired';
  createdAt: Date;
  expiresAt: Date;
  successUrl: string;
  cancelUrl: string;
  embedded: boolean;
  subscriptionId: string | null;
  /** The last payment was declined. */
  declined: boolean;
}

export interface SubscriptionState {
  id: string;
  itemId: string;
  ownerId: string;
  priceId: string;
  status: 'active' | 'past_due' | 'unpaid' | 'canceled';
  createdAt: Date;
  /** The start of counting periods, so that a short month does not move the day of later ones. */
  anchor: Date;
  periodStartsAt: Date;
  periodEndsAt: Date;
  cancelsAtPeriodEnd: boolean;
  /** With `nextPriceId` the price changes at the end of the period. */
  schedule: { id: string; nextPriceId: string | null } | null;
  latestInvoiceId: string | null;
}

export interface DisputeState {
  id: string;
  status: 'needs_response' | 'won' | 'lost';
}

/** A successful payment of an invoice. Amounts are in cents. */
export interface ChargeState {
  id: string;
  paymentIntentId: string;
  amount: number;
  refunded: number;
  dispute: DisputeState | null;
}

export interface InvoiceState {
  id: string;
  number: string;
  subscriptionId: string;
  createdAt: Date;
  lines: { description: string; amount: number }[];
  /** In cents: the lines less the customer's credit, never negative. */
  amountDue: number;
  status: 'open' | 'paid';
  /** The number of attempted charges. */
  attempts: number;
  nextAttemptAt: Date | null;
  charge: ChargeState | null;
}

/** An event in the outbox, in the provider's form. */
export interface EventState {
  id: string;
  type: string;
  createdAt: Date;
  object: Record<string, unknown>;
  /** The number of attempted deliveries. */
  attempts: number;
  /** Null once it was delivered or given up. */
  nextTryAt: Date | null;
}

/** The result of an idempotency key, kept for a day. */
export interface RequestState {
  key: string;
  /** The request: the key accepts no other one. */
  asked: string;
  at: Date;
  /** The id of the created object, if any. */
  result: string | null;
  /** The card was declined; a repeated request with the key gets the same answer. */
  declined: boolean;
}

/** The state of one customer at the simulated provider. It is stored as one document, so that a change and its events are one write. */
export interface CustomerState {
  id: string;
  ownerId: string;
  email: string;
  createdAt: Date;
  /** False until the first checkout is paid; until then the provider has no customer. */
  exists: boolean;
  deleted: boolean;
  card: Card;
  /** The customer's test clock: its lead over the real clock. */
  clockAheadMs: number;
  /** In cents, deducted from the next invoices. */
  credit: number;
  checkouts: CheckoutState[];
  /** Latest last, like invoices and events. */
  subscriptions: SubscriptionState[];
  invoices: InvoiceState[];
  events: EventState[];
  requests: RequestState[];
  portals: { id: string; returnUrl: string; expiresAt: Date }[];
}

/** Time, randomness and prices of a simulation. */
export interface World {
  now: () => Date;
  /** A new unguessable id. */
  makeId: (prefix: string) => string;
  prices: readonly Price[];
}

/** A change in progress: `state` is a copy that is dropped when the change throws. */
export interface Draft {
  state: CustomerState;
  /** The customer's time. */
  now: Date;
  /** The real time, used for the delivery of events. */
  realNow: Date;
  makeId: World['makeId'];
  prices: readonly Price[];
}

/** A stored customer; `version` counts its changes. */
export interface StoredCustomer {
  state: CustomerState;
  version: number;
}

/** The store of the simulated provider's customers. Its results are copies. */
export interface CustomerStore {
  /** The customer with a name: the id of one of its objects, or an idempotency key. */
  find: (name: string) => Promise<StoredCustomer | null>;
  listOf: (ownerId: string) => Promise<StoredCustomer[]>;
  /** Customers with scheduled work by `now`. */
  listDue: (now: Date, limit: number) => Promise<StoredCustomer[]>;
  /** A page of all customers, by id. */
  page: (options: { after: string | null; limit: number }) => Promise<StoredCustomer[]>;
  /** False when another customer has one of its names. */
  insert: (state: CustomerState) => Promise<boolean>;
  /**
   * Writes the next version. False when another change was first.
   * @throws RefusedError key_reused when another customer has one of its names: only keys are chosen by callers
   */
  replace: (state: CustomerState, version: number) => Promise<boolean>;
}

/** The name of an idempotency key. */
export const keyName = (key: string): string => `key:${key}`;

/** All names of a customer. No two customers share one. */
export const namesOf = (state: CustomerState): string[] => [
  state.id,
  ...state.requests.map(({ key }) => keyName(key)),
  ...[...state.checkouts, ...state.portals].map(({ id }) => id),
  ...state.subscriptions.flatMap(({ id, schedule }) => (schedule ? [id, schedule.id] : [id])),
  ...state.invoices.flatMap(({ id, charge }) =>
    charge ? [id, charge.id, charge.paymentIntentId] : [id],
  ),
];
