import { t } from 'virtual:texts/shares';
import type { Share } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDay } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useAction, useEndedSession } from '../auth/index.ts';
import { readSharesAgain, revokeAll, sharesQuery } from './api.ts';
import { CopyButton } from './copy-address.tsx';
import { openingsOf, untilOf, useRevoke } from './made-link.tsx';

/** In Settings: the public links of the user that work, each with a way to end it. */
export function LinksSection() {
  const { data: shares, error, refetch } = useQuery(sharesQuery);
  const hasEnded = useEndedSession(error);
  if (error && !hasEnded) return <ErrorState title={t('notRead')} onRetry={() => void refetch()} />;
  if (!shares) return <Skeleton className="h-12 w-full" />;
  if (shares.length === 0) return <p className="text-sm text-muted">{t('none')}</p>;
  return (
    <>
      <ul className="grid gap-4">
        {shares.map((share) => (
          <LinkItem key={share.id} share={share} />
        ))}
      </ul>
      <RevokeAll count={shares.length} />
    </>
  );
}

function LinkItem({ share }: { share: Share }) {
  const { id, url, title } = share;
  const { run, isPending } = useRevoke(id);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-64">
        <p className="text-sm font-medium wrap-anywhere">
          <bdi>{share.of === 'reply' ? t('replyIn', { title }) : title}</bdi>
        </p>
        <p className="text-sm text-muted">{termsOf(share)}</p>
        <p className="text-sm text-muted">{openingsOf(share)}</p>
      </div>
      <div className="flex gap-2">
        <CopyButton size="sm" address={url} aria-label={t('copyOf', { title })} />
        <Button size="sm" onClick={run} busy={isPending} aria-label={t('revokeOf', { title })}>
          {t('revoke')}
        </Button>
      </div>
    </li>
  );
}

const termsOf = (share: Share): string =>
  [shownBy(share), t(share.audience), untilOf(share)].join(' · ');

/** In the list, days after a snapshot was made, 'what is here now' would be wrong. */
const shownBy = ({ kind, createdAt }: Share): string =>
  kind === 'snapshot' ? t('snapshotOf', { date: formatDay(createdAt) }) : t(kind);

function RevokeAll({ count }: { count: number }) {
  const [open, setOpen] = useState(false);
  const onClose = () => setOpen(false);
  const revoke = useAction({
    run: revokeAll,
    onDone: () => {
      onClose();
      readSharesAgain();
    },
    failed: t('notRevoked'),
  });
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        {t('revokeAll')}
      </Button>
      {open && (
        <ConfirmDialog
          title={t('askRevokeAll', { count })}
          description={t('revokeNote')}
          action={t('revokeAll')}
          onClose={onClose}
          {...revoke}
        />
      )}
    </>
  );
}
