import type { UserFile } from '@stolas/backend/contract';
import { percentOf } from '../../lib/number.ts';
import { cn } from '../../ui/cn.ts';
import { describeState } from './state-text.ts';

/** The progress of reading a file; an endless animation while it is unknown. */
export function ReadingBar({ file, className }: { file: UserFile; className?: string }) {
  const { done = 0, total = 0 } = (file.state === 'reading' && file.progress) || {};
  const percent = total > 0 ? percentOf({ used: done, limit: total }) : undefined;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- browsers draw their own bar for the tag
      role="progressbar"
      aria-label={describeState(file)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cn('h-1 overflow-hidden rounded-full bg-hover', className)}
    >
      <div
        className={cn(
          'h-full rounded-full bg-accent transition-[width] duration-150 ease-out',
          percent === undefined && 'w-1/3 animate-shimmer',
        )}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  );
}
