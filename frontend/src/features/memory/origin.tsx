import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { formatDate } from '../../lib/time.ts';

/** The user's own words that a memory was made from; they open their conversation. */
export const Origin = ({ memory: { source, createdAt } }: { memory: Memory }) =>
  source ? (
    <p className="mt-0.5 text-xs text-muted wrap-anywhere">
      <Link href={`/?c=${source.conversationId}`} className="underline-offset-4 hover:underline">
        {t('saidOn', { date: formatDate(createdAt), quote: source.quote })}
      </Link>
    </p>
  ) : null;
