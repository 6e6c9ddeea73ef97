import { AppError, unavailable } from '../../errors.ts';
import { GatewayError } from '../../payments/index.ts';
import type { SubscriptionFacts } from './derive.ts';

export const alreadySubscribed = (message: string) => new AppError('already_subscribed', message);

export const noSubscription = () =>
  new AppError('no_subscription', 'You have no paid subscription. Choose a plan first.');

export const priceChanged = () =>
  new AppError('price_changed', 'The amount has changed since. Open the dialog again to see it.');

/** @throws AppError payment_failed while the present plan is not paid */
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

/** What the caller gets for an error of the payment provider; anything else stays as it is. */
export function gatewayProblem(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  if (error.reason === 'declined')
    return new AppError('payment_failed', error.message, { cause: error });
  // What the provider refuses is a matter of settings: the log has the reason.
  return error.reason === 'unavailable' ? unavailable(error) : error;
}
