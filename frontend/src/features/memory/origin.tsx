import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { formatDate } from '../../lib/time.ts';

/** The user's words from which a memory was made, as a link to their conversation. */
export const Origin = ({ memory: { source, createdAt } }: { memory: Memory }) =>
  source ? (
    <p className="mt-0.5 text-xs text-muted wrap-anywhere">
      <Link href={`/?c=${source.conversationId}`} className="underline-offset-4 hover:underline">
        {t('saidOn', { date: formatDate(createdAt), quote: source.quote })}
      </Link>
    </p>
  ) : null;
