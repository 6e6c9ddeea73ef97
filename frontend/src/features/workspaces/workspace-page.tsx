import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import { mayChat, type User, type Workspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { SelectField } from '../../ui/select.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { workspacesQuery } from './api.ts';
import { CreateForm } from './create-form.tsx';
import { JoinBanners } from './join-banner.tsx';
import { WorkspaceView } from './workspace-view.tsx';

/** /workspace (docs/product.md, 'Workspaces'). */
export function WorkspacePage({ user }: { user: User }) {
  const { data, isError, refetch } = useQuery(workspacesQuery());
  return (
    <TooltipProvider>
      <Page>
        <h1 className="text-xl font-semibold">{common('workspace')}</h1>
        {isError && !data && (
          <ErrorState
            className="py-16"
            title={t('readFailed')}
            description={common('checkConnection')}
            onRetry={() => void refetch()}
          />
        )}
        {!data && !isError && <Loading label={common('loading')} />}
        <JoinBanners />
        {data && <Workspaces user={user} workspaces={data} />}
      </Page>
    </TooltipProvider>
  );
}

function Workspaces({ user, workspaces }: { user: User; workspaces: readonly Workspace[] }) {
  const [chosen, setChosen] = useState<string>();
  const shown = workspaces.find(({ id }) => id === chosen) ?? workspaces[0];
  const ownsOne = workspaces.some(({ role }) => role === 'owner');
  const mayCreate = !ownsOne && mayChat(user) && user.subscriptionStatus !== 'guest';
  return (
    <>
      {workspaces.length > 1 && (
        <SelectField
          className="mt-6"
          label={t('choose')}
          value={shown?.id}
          onChange={({ target }) => setChosen(target.value)}
        >
          {workspaces.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {shown && <WorkspaceView key={shown.id} workspace={shown} user={user} />}
      {!shown && !mayCreate && (
        <EmptyState
          className="py-16"
          icon={<UsersRound aria-hidden="true" />}
          title={t('none')}
          description={t('noneHint')}
        />
      )}
      {mayCreate && <CreateForm isFirst={!shown} />}
    </>
  );
}
