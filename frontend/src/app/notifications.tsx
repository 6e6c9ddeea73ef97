import { type ComponentType, useEffect, useState } from 'react';
import { useToastStore } from '../ui/toast-store.ts';

/** By then the page is usable. The code cannot be loaded later, when the connection is lost. */
const PRELOAD_AFTER_MS = 3000;

const load = async () => (await import('../ui/toast.tsx')).Toaster;

/** Shows notifications. Their code is loaded with the first one, or soon after the start. */
export function Notifications() {
  const [Toaster, setToaster] = useState<ComponentType>();
  const current = useToastStore((state) => state.current);
  // A load that failed is repeated with the next notification.
  useEffect(() => {
    if (Toaster) return undefined;
    const timer = setTimeout(
      () =>
        void load().then(
          (loaded) => setToaster(() => loaded),
          () => undefined,
        ),
      current ? 0 : PRELOAD_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [Toaster, current]);
  return Toaster && current && <Toaster />;
}
