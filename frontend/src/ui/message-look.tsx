import type { ReactNode } from 'react';
import { cn } from './cn.ts';
import { Eye } from './eye.tsx';

// The look of messages, for the chat and for the recorded one of the landing page.

/** The reading column of a conversation, with 16 px at each side. */
export const COLUMN = 'mx-auto w-full max-w-[calc(var(--container-column)+2rem)] px-4';

/** The user's message: a soft bubble at the right. */
export const Bubble = ({ children }: { children: ReactNode }) => (
  <div className="max-w-[85%] min-w-0 rounded-lg rounded-br-sm bg-bubble px-4 py-2.5">
    {children}
  </div>
);

/** The layout of a reply: the eye mark, outside of the column where there is room (`@container`), and the text. */
export function ReplyLayout({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="flex gap-2.5 not-print:@min-[52rem]:-ms-10 sm:gap-4">
      <Eye className={cn('size-5 sm:size-6 text-gold', busy && 'animate-shimmer')} />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
