import type { CustomerState } from './state.ts';

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
