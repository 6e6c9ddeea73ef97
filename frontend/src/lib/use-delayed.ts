import { useEffect, useState } from 'react';

/** `value` once it has not changed for `ms`; an empty one at once. */
export function useDelayed(value: string, ms: number): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return value === '' ? '' : delayed;
}
