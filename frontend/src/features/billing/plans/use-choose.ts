import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/plans';
import type { User } from '@stolas/backend/contract';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { toastError } from '../../../ui/toast-store.ts';
import type { Offer } from '../offer.ts';
import type { CurrentOffer } from './choice.ts';
import { useCheckout } from './use-checkout.ts';

/** Chooses an offer: users without an account sign in first, subscribers confirm a change, all others pay. */
export function useChoose(user: User | null, current: CurrentOffer | null) {
  const [, navigate] = useLocation();
  const checkout = useCheckout();
  const [change, setChange] = useState<{ from: Offer; to: Offer } | null>(null);

  const choose = (offer: Offer) => {
    const signIn = () => navigate(signInPath(offer));
    if (!user) askToSignIn(signIn);
    else if (user.subscriptionStatus === 'guest') signIn();
    // A plan without a price was not paid for, so there is nothing to change.
    else if (current && !current.isFree)
      setChange({ from: { plan: current.plan, interval: current.interval ?? 'month' }, to: offer });
    else checkout.start(offer);
  };

  return { choose, checkout, change, endChange: () => setChange(null) };
}

const askToSignIn = (onSelect: () => void) =>
  toastError(t('signInFirst'), t('signInFirstLine'), {
    action: { label: tApp('signIn'), onSelect },
  });

/** /login, which returns to the offer. */
const signInPath = ({ plan, interval }: Offer): string =>
  `/login?plan=${plan}${interval === 'year' ? '&interval=year' : ''}`;
