import type { ReactNode } from 'react';
import { cn } from './cn.ts';

interface PageProps {
  children: ReactNode;
  /** Of the column. */
  className?: string;
}

/** The page of a signed-in user, beside the sidebar or below its own header: one column that scrolls. */
export const Page = ({ children, className }: PageProps) => (
  <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto overscroll-contain">
    <main
      tabIndex={-1}
      className={cn('mx-auto max-w-4xl px-5 pt-2 pb-16 outline-none md:pt-10', className)}
    >
      {children}
    </main>
  </div>
);
