import { cn } from './cn.ts';

/** A user as one letter. The name is beside it. */
export function Avatar({ initial, className }: { initial: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        'grid size-9 shrink-0 place-content-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase',
        className,
      )}
    >
      {initial}
    </span>
  );
}
