import { lazy, Suspense } from 'react';
import { useToastStore } from '../ui/toast-store.ts';

const Toaster = lazy(async () => ({ default: (await import('../ui/toast.tsx')).Toaster }));

/** Shows notifications; its code is loaded with the first one. */
export function Notifications() {
  const needed = useToastStore(({ current }) => current !== null);
  return <Suspense>{needed && <Toaster />}</Suspense>;
}
