import type { ReactNode } from 'react';

export const Subheading = ({ children }: { children: ReactNode }) => (
  <h3 className="text-sm font-medium">{children}</h3>
);
