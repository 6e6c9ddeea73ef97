import { cn } from './cn.ts';

/** A grey shape where content will be; give it the content's size. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden="true" className={cn('h-4 animate-shimmer rounded-sm bg-hover', className)} />
  );
}
