import { useEffect } from 'react';
import { followAccount } from '../../../realtime/index.ts';
import { FullScreenSpinner } from '../../../ui/spinner.tsx';
import { endSession, useUser } from '../../auth/index.ts';
import { usePaymentReturn } from '../payment/use-payment-return.ts';
import { Plans } from './plans.tsx';

/** /subscription (docs/product.md, 'Subscription'). */
export function SubscriptionPage() {
  const { user } = useUser();
  const waiting = usePaymentReturn();
  const isSignedIn = user !== null;
  useEffect(() => (isSignedIn ? followAccount(() => void endSession()) : undefined), [isSignedIn]);
  return waiting === null ? <Plans user={user} /> : <FullScreenSpinner text={waiting} />;
}
