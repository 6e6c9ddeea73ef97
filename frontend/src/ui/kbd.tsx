import type { ReactNode } from 'react';

/** A key, as printed on the keyboard. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-ground px-1.5 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}
