import { AppError, unavailable } from '../../errors.ts';
import { GatewayError } from '../../payments/index.ts';
import type { SubscriptionFacts } from './derive.ts';

export const alreadySubscribed = (message: string) => new AppError('already_subscribed', message);

export const noSubscription = () =>
  new AppError('no_subscription', 'You have no paid subscription. Choose a plan first.');

export const planChanging = () =>
  alreadySubscribed('Your plan is being changed. Try again in a few minutes.');

export const priceChanged = () =>
  new AppError('price_changed', 'The amount has changed since. Open the dialog again to see it.');

/** @throws AppError payment_failed while the current plan is not paid */
export function refuseUnpaid({ status }: Pick<SubscriptionFacts, 'status'>): void {
  if (status === 'past_due')
    throw new AppError(
      'payment_failed',
      'Your last payment failed. Update your payment method first, then change the plan.',
    );
  if (status === 'disputed')
    throw new AppError(
      'payment_failed',
      'Your last payment is disputed. The plan can be changed once the dispute is closed.',
    );
}

/** Maps an error of the payment provider to an AppError; other errors stay unchanged. */
export function gatewayProblem(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  if (error.reason === 'declined')
    return new AppError('payment_failed', error.message, { cause: error });
  // A refusal by the provider is a matter of settings: the log has the reason.
  return error.reason === 'unavailable' ? unavailable(error) : error;
}
