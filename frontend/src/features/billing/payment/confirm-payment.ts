import { t as tBilling } from 'virtual:texts/billing';
import { t } from 'virtual:texts/plans';
import { isSubscribed, planById } from '@stolas/backend/contract';
import { fromServer } from '../../../i18n/translate.ts';
import { ApiError } from '../../../lib/api.ts';
import { pause } from '../../../lib/pause.ts';
import { queryClient, userQuery } from '../../../lib/query-client.ts';
import { verifyPayment } from '../api.ts';

/** The server's knowledge of a payment; `reload` when only a fresh page helps. */
export type Outcome =
  | { isActive: true; message: string }
  | { isActive: false; message: string; reload: boolean };

// The payment provider may report a payment some seconds after the user is back.
const RETRY_MS = [1_000, 1_500, 2_000, 3_000];

/** Verifies the payment by the id that the payment page returned with. Never rejects. */
export const confirmBySession = (sessionId: string): Promise<Outcome> =>
  settle(async () => {
    try {
      const { success, plan, message } = await verifyPayment({ sessionId });
      const said = message && fromServer(message);
      if (!success) return { isActive: false, message: said || t('notActivated'), reload: true };
      const active = plan ? tBilling('planActive', { plan: planById(plan).name }) : t('planActive');
      return { isActive: true, message: said || active };
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500;
      return { isActive: false, message: t('notVerified'), reload: true, isFinal };
    }
  });

/** Without an id: whether the user has a subscription now. Never rejects. */
export const confirmByUser = (): Promise<Outcome> =>
  settle(async () => {
    try {
      const user = await queryClient.fetchQuery(userQuery);
      return user && isSubscribed(user)
        ? { isActive: true, message: t('planActive') }
        : { isActive: false, message: t('notSubscribed'), reload: false };
    } catch {
      return { isActive: false, message: t('noStatus'), reload: false, isFinal: true };
    }
  });

/** Asks again until the plan is active, the failure is final, or some seconds have passed. */
async function settle(ask: () => Promise<Outcome & { isFinal?: boolean }>): Promise<Outcome> {
  for (const wait of RETRY_MS) {
    const { isFinal = false, ...outcome } = await ask();
    if (outcome.isActive || isFinal) return outcome;
    await pause(wait);
  }
  const { isFinal: _, ...outcome } = await ask();
  return outcome;
}
