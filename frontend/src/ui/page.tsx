import type { ReactNode } from 'react';

/** The page of a signed-in user, beside the sidebar or below its own header: one column that scrolls. */
export const Page = ({ children }: { children: ReactNode }) => (
  <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto overscroll-contain">
    <main tabIndex={-1} className="mx-auto max-w-4xl px-5 pt-2 pb-16 outline-none md:pt-10">
      {children}
    </main>
  </div>
);
