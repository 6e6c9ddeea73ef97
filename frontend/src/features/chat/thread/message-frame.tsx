import type { ReactNode } from 'react';
import { formatTime } from '../../../lib/time.ts';
import { cn } from '../../../ui/cn.ts';
import { Eye } from '../../../ui/eye.tsx';
import { CopyButton } from './copy-button.tsx';

interface FooterProps {
  createdAt: string;
  text: string;
  /** Aligned to the end of the line, for turns at the right. */
  end?: boolean;
}

/** Time, and what can be done with a message: on hover and focus, on touch always. */
export function TurnFooter({ createdAt, text, end = false }: FooterProps) {
  return (
    <div
      className={cn(
        'flex min-h-8 items-center gap-1 text-xs text-muted',
        end && 'flex-row-reverse',
      )}
    >
      <time dateTime={createdAt}>{formatTime(createdAt)}</time>
      {text !== '' && (
        <span className="opacity-0 transition-opacity duration-150 ease-out group-focus-within/turn:opacity-100 group-hover/turn:opacity-100 pointer-coarse:opacity-100">
          <CopyButton text={text} />
        </span>
      )}
    </div>
  );
}

/** The place of a reply: plain, at the left, with the eye mark. */
export function ReplyLayout({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-x-4 gap-y-2 sm:flex-row">
      <Eye className={busy ? 'size-6 animate-shimmer text-accent' : 'size-6 text-accent'} />
      <div className="max-w-prose min-w-0 flex-1">{children}</div>
    </div>
  );
}
