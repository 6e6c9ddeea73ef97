import { t } from 'virtual:texts/app';
import { FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';
import { Eye } from './eye.tsx';

// How a conversation looks, for the chat and for the recorded one of the landing page.

/** The reading column of a conversation, with 16 px at each side. */
export const COLUMN = 'mx-auto w-full max-w-[calc(var(--container-column)+2rem)] px-4';

/** What the user sent: a soft bubble at the right. */
export const Bubble = ({ children }: { children: ReactNode }) => (
  <div className="max-w-[85%] min-w-0 rounded-lg rounded-br-sm bg-bubble px-4 py-2.5">
    {children}
  </div>
);

/** The layout of a reply: the eye mark, outside of the column where there is room (`@container`), and the text. */
export function ReplyLayout({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-x-4 gap-y-2 not-print:@min-[52rem]:-ms-10 sm:flex-row">
      <Eye className={busy ? 'size-6 animate-shimmer text-accent' : 'size-6 text-accent'} />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/** The ground of an insight card. */
export const INSIGHT_CARD = 'rounded-lg border border-line bg-surface text-sm';

/** Text of a file, letter for letter. */
export const Quote = ({ className, children }: { className?: string; children: ReactNode }) => (
  <span
    dir="auto"
    className="block border-s-2 border-accent ps-3 text-start leading-relaxed whitespace-pre-line"
  >
    <span className={cn('break-words', className)}>{children}</span>
  </span>
);

/** A file and a page of it, in one line. */
export const SourceLine = ({ fileName, page }: { fileName: string; page: number }) => (
  <span className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
    <FileText aria-hidden="true" className="size-3.5 shrink-0" />
    <bdi className="truncate" title={fileName}>
      {fileName}
    </bdi>
    <span className="shrink-0">· {t('page', { page })}</span>
  </span>
);
