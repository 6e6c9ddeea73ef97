import { useSyncExternalStore } from 'react';

const PHONE = '(max-width: 767px)';

export const isPhone = (): boolean => window.matchMedia(PHONE).matches;

/** Under 768 px the sidebar is a drawer. */
export const useIsPhone = (): boolean =>
  useSyncExternalStore((listener) => {
    const query = window.matchMedia(PHONE);
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  }, isPhone);
