import { t as tBilling } from 'virtual:texts/billing';
import { t } from 'virtual:texts/plans';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { goTo, reloadPage } from '../../../lib/location.ts';
import { supportContact } from '../../../lib/page-settings.ts';
import { pause } from '../../../lib/pause.ts';
import { clearFetched } from '../../../lib/query-client.ts';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { confirmBySession, confirmByUser } from './confirm-payment.ts';

/** Milliseconds before the browser moves on, with a notification that says why. */
const TO_CHAT_MS = 1_500;
const RELOAD_MS = 3_000;

/** The address without the payment's parameters. `change=true` keeps a subscriber on the page. */
const HERE = '/subscription';
const STAY_HERE = '/subscription?change=true';

/** How a user came back to /subscription from a payment page (docs/product.md, 'Subscription'). */
type PaymentReturn =
  | { kind: 'paid'; isUpgrade: boolean; sessionId: string | null }
  | { kind: 'canceled'; isUpgrade: boolean };

type Navigate = (path: string, options: { replace: true }) => void;

/**
 * Completes a return from the payment page, once: the address loses the parameters as soon as the result is known, so a
 * reload does not repeat it.
 * @returns what a waiting screen says; null when the plans are to be shown
 */
export function usePaymentReturn(): string | null {
  const [, navigate] = useLocation();
  const [back] = useState(() => readPaymentReturn(location.search));
  const [waiting, setWaiting] = useState(() => (back?.kind === 'paid' ? t('activating') : null));
  // Effects may run twice.
  const begun = useRef(false);
  useEffect(() => {
    if (!back || begun.current) return;
    begun.current = true;
    if (back.kind === 'paid') void completePayment(back, { navigate, setWaiting });
    else void endCanceled(back, navigate);
  }, [back, navigate]);
  return waiting;
}

/** Titles of the notices. */
const titlesOf = ({ isUpgrade }: PaymentReturn) =>
  isUpgrade
    ? {
        paid: tBilling('upgraded'),
        failed: tBilling('upgradeFailed'),
        canceled: t('upgradeCanceled'),
      }
    : { paid: t('paid'), failed: t('notPaid'), canceled: t('canceled') };

async function completePayment(
  back: PaymentReturn & { kind: 'paid' },
  page: { navigate: Navigate; setWaiting: (text: string | null) => void },
): Promise<void> {
  const outcome = back.sessionId ? await confirmBySession(back.sessionId) : await confirmByUser();
  page.navigate(STAY_HERE, { replace: true });
  if (outcome.isActive) {
    page.setWaiting(t('toChats'));
    toast({ title: titlesOf(back).paid, description: outcome.message });
    clearFetched();
    await pause(TO_CHAT_MS);
    goTo('/');
    return;
  }
  toastError(titlesOf(back).failed, outcome.message, {
    link: supportContact(),
    duration: RELOAD_MS * 2,
  });
  if (!outcome.reload) {
    page.setWaiting(null);
    return;
  }
  await pause(RELOAD_MS);
  if (back.isUpgrade) reloadPage();
  else goTo(HERE);
}

async function endCanceled(back: PaymentReturn, navigate: Navigate): Promise<void> {
  // On other pages a subscriber would be sent to the chat, with another notice.
  navigate(STAY_HERE, { replace: true });
  toast({ title: titlesOf(back).canceled, description: t('nothingCharged') });
  if (!back.isUpgrade) return;
  await pause(TO_CHAT_MS);
  navigate('/', { replace: true });
}

/** @param search the query of the address. @returns null when the user does not come from a payment page */
function readPaymentReturn(search: string): PaymentReturn | null {
  const params = new URLSearchParams(search);
  const isSet = (name: string) => params.get(name) === 'true';
  const isUpgrade = isSet('upgrade') || isSet('upgrade_cancelled');
  if (isSet('canceled') || isSet('upgrade_cancelled')) return { kind: 'canceled', isUpgrade };
  if (isSet('success')) return { kind: 'paid', isUpgrade, sessionId: params.get('session_id') };
  return null;
}
