import { t } from 'virtual:texts/app';
import { stopWaiting, usePatience } from '../lib/patience.ts';
import { dismissToast, toast, toastError, useToastStore } from '../ui/toast-store.ts';

const FIRST_CHECK_MS = 3000;
const BACK_NOTICE_MS = 3000;

/**
 * Shows an error notice while the browser is offline and, for 3 s, that it is back (docs/product.md, 'Notices').
 * @returns a function that ends it.
 */
export function followConnection(): () => void {
  let isOffline = false;
  let unsubscribe = () => {};
  const onOffline = () => {
    if (isOffline) return;
    isOffline = true;
    showOffline();
    // Another notice may replace this one; it returns when that notice has closed.
    unsubscribe = useToastStore.subscribe(({ current }) => {
      if (!current?.open) showOffline();
    });
  };
  const onOnline = () => {
    if (!isOffline) return;
    isOffline = false;
    unsubscribe();
    toast({ title: t('online'), duration: BACK_NOTICE_MS });
  };
  const firstCheck = setTimeout(() => {
    if (!navigator.onLine) onOffline();
  }, FIRST_CHECK_MS);
  window.addEventListener('offline', onOffline);
  window.addEventListener('online', onOnline);
  return () => {
    clearTimeout(firstCheck);
    unsubscribe();
    window.removeEventListener('offline', onOffline);
    window.removeEventListener('online', onOnline);
  };
}

const showOffline = () =>
  toastError(t('offline'), undefined, { duration: Number.POSITIVE_INFINITY });

/** Shows that calls wait for a busy server, and lets the user end that. @returns a function that ends it. */
export function followPatience(): () => void {
  let notice: number | undefined;
  return usePatience.subscribe(({ calls }) => {
    if (calls.length > 0) notice ??= showBusy();
    else if (notice !== undefined) {
      dismissToast(notice);
      notice = undefined;
    }
  });
}

const showBusy = () =>
  toast({ title: t('busy'), action: { label: t('stopWaiting'), onSelect: stopWaiting } });
