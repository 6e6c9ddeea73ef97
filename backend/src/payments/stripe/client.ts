import { Stripe } from 'stripe';

const TIMEOUT_MS = 10_000;
/** The SDK gives each repetition the idempotency key of its first attempt. */
const MAX_NETWORK_RETRIES = 2;

export interface StripeOptions {
  secretKey: string;
  /** Stripe's, or the embedded Stripe's. */
  apiUrl: string;
  /** Timeout of one attempt of a request. */
  timeoutMs?: number;
}

/** A client of Stripe's API, in the version of the SDK's types: other versions have other fields. */
export function createStripeClient({
  secretKey,
  apiUrl,
  timeoutMs = TIMEOUT_MS,
}: StripeOptions): Stripe {
  const { hostname, port, protocol } = new URL(apiUrl);
  return new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: MAX_NETWORK_RETRIES,
    telemetry: false,
  });
}

/** The id of a reference, which is an id or the object itself. */
export const idOf = (reference: string | { id: string }): string =>
  typeof reference === 'string' ? reference : reference.id;

/** Stripe's times are whole seconds. */
export const dateOf = (seconds: number): Date => new Date(seconds * 1_000);

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000);
