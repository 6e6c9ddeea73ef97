import { t } from 'virtual:texts/workspace';
import type { User, Workspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Crown } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { acceptOwnership, endOffer, membersQuery, useAct } from './api.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** The offer of the ownership, for the owner who made it and for the admin who may confirm it. */
export function OfferBanner({ workspace, user }: { workspace: Workspace; user: User }) {
  const { id, transferTo, owner, role } = workspace;
  const [isConfirming, setConfirming] = useState(false);
  const { data } = useQuery({ ...membersQuery(id), enabled: transferTo !== null });
  const { mutate, isPending } = useAct(() => endOffer(id));
  const isMine = transferTo === user.id;
  if (transferTo === null || !(isMine || role === 'owner')) return null;
  const name = data?.find(({ userId }) => userId === transferTo)?.name ?? '';
  const actions = (
    <span className="flex flex-wrap gap-2">
      <Button size="sm" busy={isPending} onClick={() => mutate()}>
        {isMine ? t('decline') : t('withdraw')}
      </Button>
      {isMine && (
        <Button size="sm" variant="primary" onClick={() => setConfirming(true)}>
          {t('takeOver')}
        </Button>
      )}
    </span>
  );
  return (
    <>
      <Banner className="mt-4" icon={<Crown aria-hidden="true" />} action={actions}>
        {isMine ? t('offeredToYou', { owner: owner.name }) : t('offered', { name })}
      </Banner>
      {isConfirming && (
        <ConfirmDialog
          title={t('takeOverTitle')}
          description={t('takeOverText', { owner: owner.name })}
          action={t('takeOver')}
          isDanger={false}
          run={() => acceptOwnership(id)}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
