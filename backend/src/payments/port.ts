import type { InvoiceStatus } from '../contract/billing.ts';

/** The place to pay: the URL of the provider's page, or the secret of the embedded form. */
export type Checkout = { id: string } & ({ url: string } | { clientSecret: string });

export interface CheckoutRequest {
  /** Stored in the checkout and its subscription: the only link between a payment and a user. */
  ownerId: string;
  /** The user's customer at the provider; without one, `email` makes a new one. */
  customerId: string | null;
  email: string;
  priceId: string;
  ui: 'hosted' | 'embedded';
  /** The URL to which the provider redirects the user; the checkout's id replaces `{CHECKOUT_SESSION_ID}` in it. */
  successUrl: string;
  cancelUrl: string;
  /** The same key returns the same checkout within a day; with another request it is `invalid`. */
  idempotencyKey: string;
}

/** The provider's current state of a checkout. */
export interface CheckoutSnapshot {
  id: string;
  ownerId: string | null;
  customerId: string | null;
  subscriptionId: string | null;
  /** `complete`: paid, or there was nothing to pay. */
  status: 'open' | 'complete' | 'expired';
}

/**
 * `active`: paid, or in a trial. `past_due`: a renewal was not paid, the provider continues to charge. `unpaid`: it has given up.
 * `incomplete`: the first payment is missing. `ended`: finally cancelled.
 */
export type GatewayStatus = 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'ended';

/** The provider's current state of a subscription, from which billing derives all that it stores. */
export interface SubscriptionSnapshot {
  id: string;
  customerId: string;
  /** The owner in the checkout that created it. */
  ownerId: string | null;
  status: GatewayStatus;
  priceId: string;
  /** The first instant of the subscription. */
  startedAt: Date;
  /** The anchor of paid periods: the start, or the latest change that began a new period. */
  anchoredAt: Date;
  periodStartsAt: Date;
  /** The end of the paid period, when the next one is charged. */
  periodEndsAt: Date;
  /** Its end, when it was cancelled for the end of the period. */
  cancelsAt: Date | null;
  /** A price that takes effect at the end of the paid period. */
  pendingPriceId: string | null;
  /** The state of the latest invoice; null before the first one. */
  latestInvoice: { id: string; status: InvoiceStatus } | null;
}

/** A verified event. It only names the objects to fetch; its content is not stored. */
export interface PaymentEvent {
  id: string;
  /** The provider's name of the event. */
  type: string;
  createdAt: Date;
  customerId: string | null;
  /** Null when the event names none; a refund or a dispute names only the customer. */
  subscriptionId: string | null;
  checkoutId: string | null;
}

/** A change of price that applies now, or with the next paid period. */
export interface PriceChange {
  subscriptionId: string;
  priceId: string;
  when: 'now' | 'periodEnd';
  /** For `now`: the time up to which the current period counts as used; by default the provider's current time. */
  prorationDate?: Date;
}

/** The immediate charge of a change of price. Amounts are in the smallest unit of `currency`. */
export interface ChangePreview {
  prorationDate: Date;
  amount: number;
  /** The remaining credit, which reduces later payments. */
  credit: number;
  currency: string;
}

export interface GatewayInvoice {
  id: string;
  number: string | null;
  createdAt: Date;
  /** In the smallest unit of `currency`. */
  amount: number;
  currency: string;
  description: string;
  status: InvoiceStatus;
  url: string | null;
}

/**
 * The payment provider. Calls that change something are idempotent: repeated with the same arguments they change it once. Every method
 * rejects with a GatewayError.
 */
export interface PaymentGateway {
  createCheckout: (request: CheckoutRequest) => Promise<Checkout>;
  /** Null when the provider does not know it. */
  findCheckout: (checkoutId: string) => Promise<CheckoutSnapshot | null>;
  /** Ends an open checkout, so that it can no longer be paid; nothing happens to one that is not open or unknown. */
  expireCheckout: (checkoutId: string) => Promise<void>;

  findSubscription: (subscriptionId: string) => Promise<SubscriptionSnapshot | null>;
  /** Every subscription of the customer, ended ones included, latest first; none for an unknown customer. */
  listSubscriptions: (customerId: string) => Promise<SubscriptionSnapshot[]>;
  /** Every subscription at the provider, by pages, for the nightly comparison. */
  allSubscriptions: () => AsyncIterable<SubscriptionSnapshot>;

  /**
   * Changes the price. `now` begins a new paid period and charges it at once, less the unused time of the current one; it drops a pending
   * change and a cancellation, and changes nothing when the charge fails or the price is the current one. `periodEnd` takes effect with the
   * next paid period and withdraws a cancellation; the current price drops a pending change. `idempotencyKey`: the same key changes and
   * charges once within a day, and repeats a decline; another attempt needs another key.
   */
  changePrice: (change: PriceChange & { idempotencyKey: string }) => Promise<SubscriptionSnapshot>;
  /** The charge that `changePrice` would make with the returned `prorationDate`; nothing changes. */
  previewChange: (change: PriceChange) => Promise<ChangePreview>;
  /** Cancels at the end of the paid period (a pending change of price is dropped), or withdraws the cancellation. */
  setCancellation: (subscriptionId: string, cancels: boolean) => Promise<SubscriptionSnapshot>;
  /** Ends the subscription at once, without a refund; an ended one stays unchanged. */
  cancelNow: (subscriptionId: string) => Promise<void>;

  /** The provider's page to change the card, cancel and see invoices; null for an unknown customer. */
  createPortal: (request: {
    customerId: string;
    returnUrl: string;
  }) => Promise<{ url: string } | null>;
  /** Latest first, at most `limit` (100 at most); none for an unknown customer. */
  listInvoices: (customerId: string, limit: number) => Promise<GatewayInvoice[]>;

  /** @throws SignatureError when the signature does not match this body, or is too old */
  readEvent: (rawBody: Buffer, signature: string) => Promise<PaymentEvent>;

  /** Deletes a customer at the provider, with subscriptions and cards. Succeeds when the customer no longer exists. */
  removeCustomer: (customerId: string) => Promise<void>;
}

/** `declined`: the card was refused; `invalid`: the provider refuses the request; `unavailable`: retry later. */
export type GatewayErrorReason = 'declined' | 'invalid' | 'unavailable';

export class GatewayError extends Error {
  override name = 'GatewayError';
  constructor(
    readonly reason: GatewayErrorReason,
    /** For `declined` a sentence that users may read. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class SignatureError extends Error {
  override name = 'SignatureError';
}
