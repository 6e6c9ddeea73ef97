import { t } from 'virtual:texts/shares';
import type { ConversationShare, Share } from '@stolas/backend/contract';
import { formatAgo, formatDay } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../auth/index.ts';
import { readSharesAgain, revokeShare } from './api.ts';

interface MadeLinkProps {
  share: ConversationShare;
  isEnding: boolean;
  onEnd: () => void;
}

/** A link with who made it, and a way to end it, in a list of links of several people. */
export const MadeLink = ({ share, isEnding, onEnd }: MadeLinkProps) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
    <div className="min-w-0 flex-1 basis-64">
      <p className="text-sm font-medium wrap-anywhere">
        <bdi>{share.of === 'reply' ? t('replyIn', { title: share.title }) : share.title}</bdi>
      </p>
      <p className="text-sm text-muted">
        <bdi>{share.ownerName}</bdi> · {untilOf(share)}
      </p>
      <p className="text-sm text-muted">{openingsOf(share)}</p>
    </div>
    <Button
      size="sm"
      busy={isEnding}
      aria-label={t('revokeOf', { title: share.title })}
      onClick={onEnd}
    >
      {t('revoke')}
    </Button>
  </li>
);

/** Ends a link. */
export const useRevoke = (id: string) =>
  useAction({ run: () => revokeShare(id), onDone: readSharesAgain, failed: t('notRevoked') });

export const untilOf = ({ expiresAt }: Pick<Share, 'expiresAt'>): string =>
  t('until', { date: formatDay(expiresAt) });

/** How often a link was opened, and when last. */
export const openingsOf = ({ openings, lastOpenedAt }: Share): string =>
  lastOpenedAt === null
    ? t('notOpened')
    : t('opened', { count: openings, when: formatAgo(lastOpenedAt) });
