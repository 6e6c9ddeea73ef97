import { t } from 'virtual:texts/forms';
import { TimeoutError } from '../../lib/api.ts';
import { toastError } from '../../ui/toast-store.ts';

/** The text of a failed sign-in: the server's sentence, never the browser's message of a failed request. */
export function failureText(error: unknown): string {
  if (error instanceof TimeoutError) return error.userMessage;
  const isForUser = error instanceof Error && !(error instanceof TypeError) && error.message;
  return isForUser ? error.message : t('anotherWay');
}

export const showNoGoogle = (reason = t('noGoogleLine')) => toastError(t('noGoogle'), reason);
