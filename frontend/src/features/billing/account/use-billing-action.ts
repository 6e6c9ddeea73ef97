import type { BillingOverview } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { t as tApp } from '../../../i18n/app.ts';
import { t } from '../../../i18n/billing.ts';
import { userMessageOf } from '../../../lib/api.ts';
import { goTo } from '../../../lib/location.ts';
import { toast } from '../../../ui/toast-store.ts';
import { openPortal, overviewQuery } from '../api.ts';

const tellFailure = (title: string, error: unknown) =>
  toast({
    variant: 'destructive',
    title,
    description: userMessageOf(error, tApp('checkConnection')),
  });

interface ChangeOptions {
  run: () => Promise<BillingOverview>;
  onDone?: (overview: BillingOverview) => void;
  /** Title of the notification when it fails. */
  failed: string;
}

/** A button that changes the subscription. */
export function useSubscriptionChange({ run, onDone, failed }: ChangeOptions) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: run,
    onSuccess: (overview) => {
      client.setQueryData(overviewQuery.queryKey, overview);
      onDone?.(overview);
    },
    onError: (error) => tellFailure(failed, error),
  });
  return { run: () => mutate(), isPending };
}

/** A button that leads to the payment provider's page. */
export function usePortal() {
  const { mutate, isPending } = useMutation({
    mutationFn: openPortal,
    onSuccess: ({ url }) => goTo(url),
    onError: (error) => tellFailure(t('portalFailed'), error),
  });
  return { open: () => mutate(), isPending };
}
