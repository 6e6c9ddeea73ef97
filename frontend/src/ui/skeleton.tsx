import { cn } from './cn.ts';

/** A grey placeholder; give it the size of the content. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden="true" className={cn('h-4 animate-shimmer rounded-sm bg-hover', className)} />
  );
}
