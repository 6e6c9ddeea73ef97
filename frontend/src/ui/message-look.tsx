import type { ReactNode } from 'react';
import { Eye } from './eye.tsx';

// How messages look, for the chat and for the recorded one of the landing page.

/** What the user sent: a soft bubble at the right. */
export const Bubble = ({ children }: { children: ReactNode }) => (
  <div className="max-w-[min(85%,60ch)] min-w-0 rounded-lg rounded-br-sm bg-bubble px-4 py-2.5">
    {children}
  </div>
);

/** The layout of a reply: at the left, with the eye mark. */
export function ReplyLayout({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-x-4 gap-y-2 sm:flex-row">
      <Eye className={busy ? 'size-6 animate-shimmer text-accent' : 'size-6 text-accent'} />
      <div className="max-w-prose min-w-0 flex-1">{children}</div>
    </div>
  );
}
