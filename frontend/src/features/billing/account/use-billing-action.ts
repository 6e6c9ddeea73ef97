import { t } from 'virtual:texts/billing';
import type { BillingOverview } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { goTo } from '../../../lib/location.ts';
import { useAction } from '../../auth/index.ts';
import { openPortal, overviewQuery } from '../api.ts';

interface ChangeOptions {
  run: () => Promise<BillingOverview>;
  onDone?: (overview: BillingOverview) => void;
  /** Title of the notification when it fails. */
  failed: string;
}

/** A button that changes the subscription. */
export function useSubscriptionChange({ run, onDone, failed }: ChangeOptions) {
  const client = useQueryClient();
  return useAction({
    run,
    onDone: (overview) => {
      client.setQueryData(overviewQuery.queryKey, overview);
      onDone?.(overview);
    },
    failed,
  });
}

/** A button that leads to the payment provider's page. */
export const usePortal = () =>
  useAction({ run: openPortal, onDone: ({ url }) => goTo(url), failed: t('portalFailed') });
