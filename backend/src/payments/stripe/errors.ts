import { Stripe } from 'stripe';
import { GatewayError, SignatureError } from '../port.ts';

const { errors } = Stripe;

/** Stripe's own sentence for it is about its API. */
const NEEDS_CONFIRMATION =
  'Your bank asks you to confirm this payment, which cannot be done here. Change your card and try again.';
const CONFIRMATION_CODES = new Set([
  'subscription_payment_intent_requires_action',
  'authentication_required',
]);

/** Whether Stripe does not know the object of a request. */
export const isMissing = (error: unknown): boolean =>
  error instanceof errors.StripeError && error.code === 'resource_missing';

/** The result, or null when Stripe does not know the object. */
export async function orNull<Result>(request: Promise<Result>): Promise<Result | null> {
  try {
    return await request;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The port's error for an error of the SDK. */
export function toGatewayError(error: unknown): Error {
  if (error instanceof GatewayError || error instanceof SignatureError) return error;
  if (!(error instanceof errors.StripeError))
    return new GatewayError('unavailable', 'Stripe could not be asked.', { cause: error });
  if (error instanceof errors.StripeCardError) {
    const needsConfirmation = CONFIRMATION_CODES.has(error.code ?? '');
    const message = needsConfirmation ? NEEDS_CONFIRMATION : error.message;
    return new GatewayError('declined', message, { cause: error });
  }
  const reason = isOurFault(error) ? 'invalid' : 'unavailable';
  return new GatewayError(reason, error.message, { cause: error });
}

/** Other errors have other classes in the SDK: a conflict with a running request, a wrong API key, … */
const isOurFault = (error: unknown): boolean =>
  error instanceof errors.StripeInvalidRequestError ||
  error instanceof errors.StripeIdempotencyError;
