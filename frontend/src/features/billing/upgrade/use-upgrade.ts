import { t } from 'virtual:texts/billing';
import { planById, type Quote, type UpgradeResult } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { fromServer } from '../../../i18n/translate.ts';
import { userMessageOf } from '../../../lib/api.ts';
import { goTo, reloadPage } from '../../../lib/location.ts';
import { supportContact } from '../../../lib/page-settings.ts';
import { pause } from '../../../lib/pause.ts';
import { clearFetched } from '../../../lib/query-client.ts';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { upgradeToPro } from '../api.ts';

/** Milliseconds before the browser moves on, with a notification that says why. */
const TO_CHECKOUT_MS = 1_000;
const RELOAD_MS = 1_500;

/** Upgrades to Pro (docs/product.md, 'Upgrade to Pro'); pending until the browser has moved on. */
export function useUpgrade() {
  const { mutate, isPending } = useMutation({
    mutationFn: (quote: Quote | null) => upgradeToPro({ quote }),
    onSuccess: moveOn,
    onError: (error) =>
      toastError(t('upgradeFailed'), userMessageOf(error, t('upgradeFailedLine')), {
        link: supportContact(),
      }),
  });
  return { run: mutate, isPending };
}

async function moveOn({ checkoutUrl, message }: UpgradeResult): Promise<void> {
  if (checkoutUrl !== undefined) {
    toast({ title: t('toCheckout'), description: t('toCheckoutLine') });
    await pause(TO_CHECKOUT_MS);
    goTo(checkoutUrl);
    return;
  }
  const active = message ? fromServer(message) : t('planActive', { plan: planById('pro').name });
  toast({ title: t('upgraded'), description: active });
  clearFetched();
  await pause(RELOAD_MS);
  reloadPage();
}
