import type { ReactNode } from 'react';
import { formatTime } from '../../../lib/time.ts';
import { cn } from '../../../ui/cn.ts';

interface MessageFooterProps {
  createdAt: string;
  /** Always visible, beside the time. */
  switcher?: ReactNode;
  /** Visible on hover and on keyboard focus, on touch always. */
  actions?: ReactNode;
  /** A further action, which stands below the others where there is no room. */
  lastAction?: ReactNode;
  /** They are visible always. */
  showsActions?: boolean;
  /** Aligned to the end of the line, for messages at the right. */
  end?: boolean;
}

const ON_HOVER =
  'opacity-0 transition-opacity duration-150 ease-out group-focus-within/message:opacity-100 group-hover/message:opacity-100 has-aria-expanded:opacity-100 has-aria-pressed:opacity-100 pointer-coarse:opacity-100';

/** The line below a message: its time, its versions, and its actions. */
export function MessageFooter({
  createdAt,
  switcher,
  actions,
  lastAction,
  showsActions = false,
  end = false,
}: MessageFooterProps) {
  const actionsLook = cn('flex print:hidden', !showsActions && ON_HOVER);
  return (
    <div
      className={cn(
        'flex min-h-8 flex-wrap items-center gap-x-1 text-xs text-muted select-none pointer-coarse:min-h-11 print:break-inside-avoid',
        end && 'flex-row-reverse',
      )}
    >
      <time dateTime={createdAt} className={end ? 'ml-1' : 'mr-1'}>
        {formatTime(createdAt)}
      </time>
      {switcher}
      {actions && <div className={actionsLook}>{actions}</div>}
      {lastAction && <div className={actionsLook}>{lastAction}</div>}
    </div>
  );
}
