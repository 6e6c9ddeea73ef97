import { t } from 'virtual:texts/workspace';
import type { JoinableWorkspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { joinableQuery, joinByDomain, useAct } from './api.ts';

/** The workspaces that the user may join by the domain of their address. */
export function JoinBanners() {
  const { data = [] } = useQuery(joinableQuery());
  return data.map((workspace) => <JoinBanner key={workspace.id} workspace={workspace} />);
}

function JoinBanner({ workspace: { id, name, full } }: { workspace: JoinableWorkspace }) {
  const { mutate, isPending } = useAct(() => joinByDomain(id));
  const join = (
    <Button
      size="sm"
      variant="primary"
      className="max-w-full"
      busy={isPending}
      onClick={() => mutate()}
    >
      <span className="truncate">{t('joinNamed', { name })}</span>
    </Button>
  );
  return (
    <Banner
      className="mt-4"
      icon={<UsersRound aria-hidden="true" />}
      action={full ? undefined : join}
    >
      {full ? t('joinFull', { name }) : t('mayJoin', { name })}
    </Banner>
  );
}
