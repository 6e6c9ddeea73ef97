import { type RefObject, useEffect, useState } from 'react';
import { type MountedForm, mountForm, type PaymentSecrets } from './stripe-form.ts';

/** Shows the provider's fields in `box`; `onFailure` is called when they cannot be loaded. */
export function useMountedForm(
  box: RefObject<HTMLElement | null>,
  { clientSecret, publishableKey }: PaymentSecrets,
  onFailure: () => void,
) {
  const [mounted, setMounted] = useState<MountedForm | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (hasFailed || !box.current) return undefined;
    // Each try gets a fresh element: the provider mounts one form only in each.
    const place = box.current.appendChild(document.createElement('div'));
    let isGone = false;
    const loading = mountForm(place, { clientSecret, publishableKey });
    const show = async () => {
      try {
        const form = await loading;
        if (!isGone) setMounted(form);
      } catch {
        if (isGone) return;
        setFailed(true);
        onFailure();
      }
    };
    void show();
    return () => {
      isGone = true;
      loading.then(({ unmount }) => unmount()).catch(() => undefined);
      place.remove();
      setMounted(null);
    };
  }, [box, clientSecret, publishableKey, onFailure, hasFailed]);
  return { mounted, hasFailed, retry: () => setFailed(false) };
}
