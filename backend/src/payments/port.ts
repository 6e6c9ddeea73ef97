import type { InvoiceStatus } from '../contract/billing.ts';

/** Where to pay: the provider's page, or the secret for the embedded form. */
export type Checkout = { id: string } & ({ url: string } | { clientSecret: string });

export interface CheckoutRequest {
  /** Comes back in the checkout and its subscription: the only link between a payment and a user. */
  ownerId: string;
  /** The provider's customer of the user, when there is one; else a new one is made with `email`. */
  customerId: string | null;
  email: string;
  priceId: string;
  ui: 'hosted' | 'embedded';
  /** Where the provider sends the user; `{CHECKOUT_SESSION_ID}` in it is replaced by the checkout's id. */
  successUrl: string;
  cancelUrl: string;
  /** The same key gives the same checkout within a day; with another request it is `invalid`. */
  idempotencyKey: string;
}

/** A checkout as the provider has it now. */
export interface CheckoutSnapshot {
  id: string;
  ownerId: string | null;
  customerId: string | null;
  subscriptionId: string | null;
  /** `complete`: paid, or nothing was to pay. */
  status: 'open' | 'complete' | 'expired';
}

/**
 * `active`: paid, or in a trial. `past_due`: a renewal was not paid, the provider goes on trying. `unpaid`: it has given
 * up trying. `incomplete`: the first payment is missing. `ended`: cancelled for good.
 */
export type GatewayStatus = 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'ended';

/** A subscription as the provider has it now; all that billing stores is derived from it. */
export interface SubscriptionSnapshot {
  id: string;
  customerId: string;
  /** Of the checkout that created it. */
  ownerId: string | null;
  status: GatewayStatus;
  priceId: string;
  /** The first instant of the subscription. */
  startedAt: Date;
  /** What paid periods are counted from: the start, or the latest change that began a new period. */
  anchoredAt: Date;
  periodStartsAt: Date;
  /** When the paid period ends and the next one is charged. */
  periodEndsAt: Date;
  /** When it ends, once it was cancelled at the end of the period. */
  cancelsAt: Date | null;
  /** A price that takes effect at the end of the paid period. */
  pendingPriceId: string | null;
  /** The state of the latest invoice; null before the first one. */
  latestInvoice: { id: string; status: InvoiceStatus } | null;
}

/** An event as its signature proves it. It only says what to fetch; what it carries is not stored. */
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
  /** For `now`: the time up to which the present period counts as used; the provider's present time when left out. */
  prorationDate?: Date;
}

/** What a change of price charges at once. Amounts are in the smallest unit of `currency`. */
export interface ChangePreview {
  prorationDate: Date;
  amount: number;
  /** What stays as credit after it, and is taken off later payments. */
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
 * The payment provider. Calls that change something are idempotent: repeated with the same arguments they change it once.
 * Every method rejects with a GatewayError.
 */
export interface PaymentGateway {
  createCheckout: (request: CheckoutRequest) => Promise<Checkout>;
  /** Null when the provider does not know it. */
  findCheckout: (checkoutId: string) => Promise<CheckoutSnapshot | null>;
  /** Ends an open checkout, so that it cannot be paid any more; one that is not open stays as it is. */
  expireCheckout: (checkoutId: string) => Promise<void>;

  findSubscription: (subscriptionId: string) => Promise<SubscriptionSnapshot | null>;
  /** Every subscription of the customer, ended ones included, the latest first; none of an unknown customer. */
  listSubscriptions: (customerId: string) => Promise<SubscriptionSnapshot[]>;
  /** Every subscription at the provider, page by page, for the nightly comparison. */
  allSubscriptions: () => AsyncIterable<SubscriptionSnapshot>;

  /**
   * Changes the price. `now` begins a new paid period and charges it at once, less the unused time of the present one;
   * it drops a pending change and a cancellation, and changes nothing when the charge fails or the price is the present
   * one. `periodEnd` takes effect with the next paid period and takes a cancellation back; the present price drops a
   * pending change. `idempotencyKey`: the same key changes and charges once within a day, and answers a decline again;
   * another attempt needs another key.
   */
  changePrice: (change: PriceChange & { idempotencyKey: string }) => Promise<SubscriptionSnapshot>;
  /** What `changePrice` would charge with the answered `prorationDate`; nothing changes. */
  previewChange: (change: PriceChange) => Promise<ChangePreview>;
  /** Cancels at the end of the paid period (a pending change of price is dropped), or takes the cancellation back. */
  setCancellation: (subscriptionId: string, cancels: boolean) => Promise<SubscriptionSnapshot>;
  /** Ends the subscription at once, without a refund; one that has ended stays as it is. */
  cancelNow: (subscriptionId: string) => Promise<void>;

  /** The provider's page to change the card, cancel and see invoices. */
  createPortal: (request: { customerId: string; returnUrl: string }) => Promise<{ url: string }>;
  /** The latest first, at most `limit` (100 at most); none of an unknown customer. */
  listInvoices: (customerId: string, limit: number) => Promise<GatewayInvoice[]>;

  /** @throws SignatureError when the signature is not of this body, or too old */
  readEvent: (rawBody: Buffer, signature: string) => Promise<PaymentEvent>;

  /**
   * Deletes a customer at the provider, with subscriptions and cards. Succeeds when the customer does not exist any
   * more.
   */
  removeCustomer: (customerId: string) => Promise<void>;
}

/** `declined`: the card was refused; `invalid`: the provider refuses the request; `unavailable`: try again later. */
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
