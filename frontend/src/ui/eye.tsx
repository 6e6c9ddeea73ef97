import { cn } from './cn.ts';

/** The mark: an eye whose pupil is a star. Takes the text colour; decoration beside the name. */
export function Eye({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinejoin="round"
      className={cn('size-6 shrink-0', className)}
    >
      <path d="M1.500 16C6 9 10.700 6.200 16 6.200S26 9 30.500 16C26 23 21.300 25.800 16 25.800S6 23 1.500 16Z" />
      <circle cx="16" cy="16" r="6.200" />
      <path
        stroke="none"
        fill="currentColor"
        d="M16 11.200c.35 3.250 1.550 4.450 4.800 4.800-3.250.35-4.450 1.550-4.800 4.800-.35-3.250-1.550-4.450-4.800-4.800 3.250-.35 4.450-1.550 4.800-4.800Z"
      />
    </svg>
  );
}
