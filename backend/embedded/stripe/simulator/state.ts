import type { BillingInterval } from '../../../src/contract/plans.ts';

/** A price that can be paid. */
export interface Price {
  id: string;
  /** Of the plan, as invoices name it. */
  name: string;
  interval: BillingInterval;
  /** In cents. */
  amount: number;
}

/** What the card does with a charge: pays it, or declines it. */
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
  /** Periods are counted from here, so that a short month does not move the day of later ones. */
  anchor: Date;
  periodStartsAt: Date;
  periodEndsAt: Date;
  cancelsAtPeriodEnd: boolean;
  /** With `nextPriceId` the price changes at the end of the period. */
  schedule: { id: string; nextPriceId: string | null } | null;
  endedAt: Date | null;
  latestInvoiceId: string | null;
}

export interface DisputeState {
  id: string;
  status: 'needs_response' | 'won' | 'lost';
}

/** A payment of an invoice that went through. Amounts are in cents. */
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
  status: 'open' | 'paid' | 'void';
  /** Charges that were tried. */
  attempts: number;
  nextAttemptAt: Date | null;
  charge: ChargeState | null;
}

/** An event in the outbox, in the provider's shape. */
export interface EventState {
  id: string;
  type: string;
  createdAt: Date;
  object: Record<string, unknown>;
  /** Deliveries that were tried. */
  attempts: number;
  /** Null once it was delivered, or given up. */
  nextTryAt: Date | null;
}

/** What an idempotency key has done; kept for a day. */
export interface RequestState {
  key: string;
  /** What was asked: the key may not be used for anything else. */
  asked: string;
  at: Date;
  /** The id of what it created, if anything. */
  result: string | null;
  /** The card was declined; asking again with the key gives the same answer. */
  declined: boolean;
}

/**
 * Everything that the simulated provider knows of one customer. It is stored as one document, so that a change and
 * the events that it causes are one write.
 */
export interface CustomerState {
  id: string;
  ownerId: string;
  email: string;
  createdAt: Date;
  /** False until the first checkout is paid: until then the provider names no customer. */
  exists: boolean;
  deleted: boolean;
  card: Card;
  /** The customer's test clock: how far it is ahead of the real one. */
  clockAheadMs: number;
  /** In cents, taken off the next invoices. */
  credit: number;
  checkouts: CheckoutState[];
  /** The latest last, as invoices and events. */
  subscriptions: SubscriptionState[];
  invoices: InvoiceState[];
  events: EventState[];
  requests: RequestState[];
  portals: { id: string; returnUrl: string; expiresAt: Date }[];
}

/** Time, randomness and prices of a simulation. */
export interface World {
  now: () => Date;
  /** A new id that nobody can guess. */
  makeId: (prefix: string) => string;
  prices: readonly Price[];
}

/** One change in the making: `state` is a copy that is dropped when the change throws. */
export interface Draft {
  state: CustomerState;
  /** The customer's time. */
  now: Date;
  /** The real time, by which events are delivered. */
  realNow: Date;
  makeId: World['makeId'];
  prices: readonly Price[];
}

/** A customer as it is stored: `version` counts its changes. */
export interface StoredCustomer {
  state: CustomerState;
  version: number;
}

/** Where the simulated provider keeps its customers. What it answers is a copy of the caller's own. */
export interface CustomerStore {
  /** The customer that has something of that name: an id or an idempotency key. */
  find: (name: string) => Promise<StoredCustomer | null>;
  listOf: (ownerId: string) => Promise<StoredCustomer[]>;
  /** Customers with something to do by `now`. */
  listDue: (now: Date, limit: number) => Promise<StoredCustomer[]>;
  /** A page of all customers, by id. */
  page: (options: { after: string | null; limit: number }) => Promise<StoredCustomer[]>;
  /** False when another customer has one of its names. */
  insert: (state: CustomerState) => Promise<boolean>;
  /**
   * Writes the next version. False when another change came first.
   * @throws RefusedError key_reused when another customer has one of its names: only keys are chosen by callers
   */
  replace: (state: CustomerState, version: number) => Promise<boolean>;
}

/** The name under which an idempotency key is found. */
export const keyName = (key: string): string => `key:${key}`;

/** Everything by which a customer is found. No two customers share one. */
export const namesOf = (state: CustomerState): string[] => [
  state.id,
  ...state.requests.map(({ key }) => keyName(key)),
  ...[...state.checkouts, ...state.portals].map(({ id }) => id),
  ...state.subscriptions.flatMap(({ id, schedule }) => (schedule ? [id, schedule.id] : [id])),
  ...state.invoices.flatMap(({ id, charge }) =>
    charge ? [id, charge.id, charge.paymentIntentId] : [id],
  ),
];
