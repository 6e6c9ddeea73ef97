import { t } from 'virtual:texts/forms';
import type { GoogleStart } from '@stolas/backend/contract';
import { ApiError, apiPost } from '../../lib/api.ts';
import { toastError } from '../../ui/toast-store.ts';
import { failureText, showNoGoogle } from './failure-text.ts';
import { redirectToProvider, signInWithCredential } from './session.ts';

const SCRIPT = 'https://accounts.google.com/gsi/client';

/** The part of Google Identity Services that is used (see its JavaScript API reference). */
interface Widget {
  initialize: (options: {
    client_id: string;
    nonce: string;
    callback: (answer: { credential: string }) => void;
    use_fedcm_for_prompt: boolean;
  }) => void;
  prompt: (listener: (moment: Moment) => void) => void;
}

interface Moment {
  isSkippedMoment: () => boolean;
  isDismissedMoment: () => boolean;
  getDismissedReason: () => string;
  /** Not called where the browser itself asks (FedCM). */
  isNotDisplayed?: () => boolean;
}

declare global {
  interface Window {
    google?: { accounts: { id: Widget } };
  }
}

/** Signs in with Google: by its widget, or by redirect where the widget is blocked. Failures are notifications. */
export async function signInWithGoogle(next: string): Promise<void> {
  const start = await apiPost<GoogleStart>('/api/auth/google/start').catch(notAvailable);
  if (!start) return;
  const answer = await ask(start).catch(() => 'blocked' as const);
  if (answer === 'dismissed') return;
  if (answer === 'blocked') {
    if (start.redirect) redirectToProvider('/api/auth/google', next);
    else notAvailable();
    return;
  }
  await signInWithCredential(answer, next).catch((error: unknown) => {
    const description = hasSentence(error) ? failureText(error) : t('googleFailedLine');
    toastError(t('googleFailed'), description);
  });
}

/** False when the server refused without a sentence for the user. */
const hasSentence = (error: unknown): boolean =>
  error instanceof Error && !(error.cause instanceof ApiError && !error.cause.userMessage);

/** Signs in with Google again. By redirect only: the widget would take the signed-in Google account without asking. */
export async function signInWithGoogleAgain(next: string): Promise<void> {
  const start = await apiPost<GoogleStart>('/api/auth/google/start').catch(notAvailable);
  if (start?.redirect) redirectToProvider('/api/auth/google', next, { again: true });
  else if (start) notAvailable();
}

function notAvailable(error?: unknown): null {
  const sentence = error instanceof ApiError && error.status === 429 && error.userMessage;
  showNoGoogle(sentence || undefined);
  return null;
}

/** Shows Google's prompt. Rejects when its script cannot be loaded. */
async function ask({
  clientId,
  nonce,
}: GoogleStart): Promise<{ credential: string } | 'dismissed' | 'blocked'> {
  const widget = await loadWidget();
  return new Promise((resolve) => {
    widget.initialize({
      client_id: clientId,
      nonce,
      use_fedcm_for_prompt: true,
      callback: ({ credential }) => resolve({ credential }),
    });
    widget.prompt((moment) => {
      if (moment.isSkippedMoment() || moment.isNotDisplayed?.()) resolve('blocked');
      else if (moment.isDismissedMoment() && moment.getDismissedReason() !== 'credential_returned')
        resolve('dismissed');
    });
  });
}

async function loadWidget(): Promise<Widget> {
  if (!window.google) await loadScript();
  if (!window.google) throw new Error('The widget is not there.');
  return window.google.accounts.id;
}

function loadScript(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('The widget is blocked.'));
    });
    document.head.append(script);
  });
}
