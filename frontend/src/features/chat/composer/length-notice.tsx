import { t } from 'virtual:texts/chat';
import { cn } from '../../../ui/cn.ts';
import { describeLength, isTooLong } from './message-length.ts';

interface LengthNoticeProps {
  id: string;
  text: string;
  className?: string;
}

/** Counts the characters of a long text, and shows when it is too long to send. */
export function LengthNotice({ id, text, className }: LengthNoticeProps) {
  const tooLong = isTooLong(text);
  const description = describeLength(text);
  return (
    <>
      {description && (
        <p
          id={id}
          className={cn('text-xs tabular-nums', tooLong ? 'text-danger' : 'text-muted', className)}
        >
          {description}
        </p>
      )}
      {/* Said once: the count changes with every key. */}
      <span aria-live="polite" className="sr-only">
        {tooLong && t('tooLongSpoken')}
      </span>
    </>
  );
}
