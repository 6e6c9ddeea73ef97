import { t } from 'virtual:texts/checkout';
import { t as tShared } from 'virtual:texts/shared';
import { planById } from '@stolas/backend/contract';
import { ArrowLeft, Lock } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { toastError } from '../../../ui/toast-store.ts';
import { type Offer, priceOf } from '../offer.ts';
import type { PaymentSecrets } from './stripe-form.ts';
import { useMountedForm } from './use-mounted-form.ts';

interface PaymentFormProps {
  offer: Offer;
  secrets: PaymentSecrets;
  onBack: () => void;
}

/** The embedded payment form (docs/product.md, 'Subscription'). */
export function PaymentForm({ offer, secrets, onBack }: PaymentFormProps) {
  const box = useRef<HTMLDivElement>(null);
  const { mounted, hasFailed, retry } = useMountedForm(box, secrets, showError);
  const { name } = planById(offer.plan);
  const [isPaying, setPaying] = useState(false);

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (!mounted || isPaying) return;
    setPaying(true);
    try {
      const refusal = await mounted.pay();
      // Without a refusal the browser is leaving.
      if (refusal === null) return;
      toastError(t('failed'), refusal);
    } catch {
      showError();
    }
    setPaying(false);
  };

  return (
    <div className="mx-auto max-w-md">
      <Button variant="ghost" className="-ml-4" onClick={onBack} disabled={isPaying}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        {tShared('backToPlans')}
      </Button>
      <h1 className="mt-4 text-xl font-semibold">{t('title', { plan: name })}</h1>
      <p className="mt-1 text-muted">
        {t(offer.interval === 'year' ? 'yearly' : 'monthly', { price: priceOf(offer) })}
      </p>
      {hasFailed ? (
        <ErrorState
          title={t('notLoaded')}
          description={t('notLoadedLine')}
          className="mt-8"
          onRetry={retry}
        />
      ) : (
        <form onSubmit={(event) => void onSubmit(event)} className="mt-8">
          {!mounted && (
            <output className="grid gap-4" aria-label={t('loading')}>
              <Skeleton className="h-12" />
              <Skeleton className="h-12" />
            </output>
          )}
          <div ref={box} />
          <Button
            type="submit"
            variant="primary"
            size="lg"
            className="mt-6 w-full"
            disabled={!mounted}
            busy={isPaying}
          >
            {isPaying ? t('processing') : t('subscribe')}
          </Button>
          <p className="mt-4 flex items-center justify-center gap-1.5 text-xs text-muted">
            <Lock aria-hidden="true" className="size-3.5" />
            {t('safe')}
          </p>
        </form>
      )}
    </div>
  );
}

const showError = () => toastError(t('error'), t('errorLine'));
