import { useEffect, useEffectEvent, useRef } from 'react';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The next page is loaded when its place is this close to the view. */
const LOAD_AHEAD_PX = 400;

/** A placeholder for rows that are not loaded; when it comes into view, the next page is loaded. */
export function MoreRow({ label, onVisible }: { label: string; onVisible: () => void }) {
  const row = useRef<HTMLDivElement>(null);
  const load = useEffectEvent(onVisible);
  useEffect(() => {
    if (!row.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) load();
      },
      { root: row.current.closest('[data-list]'), rootMargin: `${LOAD_AHEAD_PX}px` },
    );
    observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={row} className="px-3 py-2.5">
      <span className="sr-only">{label}</span>
      <Skeleton className="w-4/5" />
    </div>
  );
}
