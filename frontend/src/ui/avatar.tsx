import { cn } from './cn.ts';

/** The first letter of a user's name, beside the name. */
export function Avatar({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        'grid size-9 shrink-0 place-content-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase',
        className,
      )}
    >
      {/^./u.exec(name)?.[0] ?? '?'}
    </span>
  );
}
