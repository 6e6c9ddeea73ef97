import type { ReactNode } from 'react';
import { cn } from './cn.ts';

const TONES = {
  info: 'bg-cool-soft',
  success: 'bg-success-soft',
  warning: 'bg-accent-soft',
  danger: 'bg-danger-soft',
};

const MARKS = {
  info: 'text-cool',
  success: 'text-success',
  warning: 'text-accent',
  danger: 'text-danger',
};

interface BannerProps {
  tone?: keyof typeof TONES;
  icon?: ReactNode;
  /** A link or button at the end. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A strip that shows a state until it changes. */
export function Banner({ tone = 'info', icon, action, className, children }: BannerProps) {
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm px-4 py-2.5 text-sm',
        TONES[tone],
        className,
      )}
    >
      {icon && <span className={cn('[&_svg]:size-4', MARKS[tone])}>{icon}</span>}
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}
