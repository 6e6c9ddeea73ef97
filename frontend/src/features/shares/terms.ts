import { t } from 'virtual:texts/shares';
import type { Share } from '@stolas/backend/contract';
import { formatAgo, formatDay } from '../../lib/time.ts';

export const untilOf = ({ expiresAt }: Pick<Share, 'expiresAt'>): string =>
  t('until', { date: formatDay(expiresAt) });

/** How often a link was opened, and when last. */
export const openingsOf = ({ openings, lastOpenedAt }: Share): string =>
  lastOpenedAt === null
    ? t('notOpened')
    : t('opened', { count: openings, when: formatAgo(lastOpenedAt) });
