import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/plans';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { userMessageOf } from '../../../lib/api.ts';
import { goTo } from '../../../lib/location.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { createCheckout, plansQuery } from '../api.ts';
import type { Offer } from '../offer.ts';

/** Pays for an offer: the browser goes to the payment page, or `secrets` are there for the form on this page. */
export function useCheckout() {
  const client = useQueryClient();
  const { mutate, isPending, data, variables, reset } = useMutation({
    mutationFn: async ({ plan, interval }: Offer) => {
      const plans = await client.ensureQueryData(plansQuery);
      const offered = plans.find(({ id }) => id === plan);
      if (!offered) throw new Error(`No plan ${plan} is offered.`);
      const priceId = interval === 'year' ? offered.stripeYearlyPriceId : offered.stripePriceId;
      return createCheckout({ priceId });
    },
    onSuccess: (checkout) => {
      if ('url' in checkout) goTo(checkout.url);
    },
    onError: (error) => toastError(tApp('error'), userMessageOf(error, t('checkoutFailed'))),
  });

  // A page that the browser kept while the user was at the payment page must not stay busy.
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) reset();
    };
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);

  const isLeaving = data !== undefined && 'url' in data;
  return {
    start: (offer: Offer) => mutate(offer),
    /** The offer whose checkout is being created, until the browser has left. */
    pending: isPending || isLeaving ? variables : undefined,
    secrets: data && 'clientSecret' in data ? data : undefined,
    offer: variables,
    reset,
  };
}
