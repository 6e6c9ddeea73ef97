import type { ReactNode } from 'react';

/** A label with its current value, and a control at the end. */
export const Row = ({
  label,
  value,
  children,
}: {
  label: ReactNode;
  value: ReactNode;
  children?: ReactNode;
}) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
    <div className="min-w-0">
      <p className="text-sm font-medium break-words">{label}</p>
      <p className="text-sm text-muted">{value}</p>
    </div>
    {children}
  </div>
);
