import type { ReactNode } from 'react';

// Apart from the dialog, so that forms on pages do not load it.

/** The row of buttons at the foot of a dialog; the primary one comes last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="mt-6 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">{children}</div>
);
