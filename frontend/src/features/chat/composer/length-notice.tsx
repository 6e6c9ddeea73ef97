import { t } from 'virtual:texts/chat';
import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';
import { formatNumber } from '../../../lib/number.ts';
import { cn } from '../../../ui/cn.ts';
import { isTooLong } from '../sending/drafts.ts';

/** The characters are counted from this length on. */
const COUNTED_FROM = 0.9 * MAX_MESSAGE_LENGTH;

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

/** A sentence about the length of a text; undefined while it is well below the limit. */
function describeLength({ length }: string): string | undefined {
  // The first number that a page formats costs 16 ms.
  if (length <= COUNTED_FROM) return undefined;
  const limit = formatNumber(MAX_MESSAGE_LENGTH);
  if (length > MAX_MESSAGE_LENGTH) {
    return t('tooLong', { excess: length - MAX_MESSAGE_LENGTH, limit });
  }
  return t('length', { length: formatNumber(length), limit });
}
