import { t } from 'virtual:texts/workspace';
import type { User, Workspace } from '@stolas/backend/contract';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { WorkspaceLinks } from '../shares/index.ts';
import { EndSection } from './end-section.tsx';
import { InvitationSection } from './invitation-section.tsx';
import { MemberList } from './member-list.tsx';
import { NameRow } from './name-row.tsx';
import { OfferBanner } from './offer-banner.tsx';
import { isAdmin } from './roles.ts';

/** One workspace. What the user's role does not allow is not offered. */
export function WorkspaceView({ workspace, user }: { workspace: Workspace; user: User }) {
  const { seats, closed, owner } = workspace;
  return (
    <div data-workspace={workspace.id}>
      <NameRow workspace={workspace} />
      <p className="mt-1 text-sm text-muted tabular-nums">
        {t('seats', { taken: seats.taken, included: seats.included })}
      </p>
      {closed && (
        <Banner tone="warning" className="mt-4" icon={<TriangleAlert aria-hidden="true" />}>
          {closed === 'plan'
            ? t('planEnded', { owner: owner.name })
            : t('tooFewSeats', { owner: owner.name })}
        </Banner>
      )}
      <OfferBanner workspace={workspace} user={user} />
      <Part title={t('members')}>
        <MemberList workspace={workspace} userId={user.id} />
      </Part>
      {isAdmin(workspace) && (
        <Part title={t('invitations')}>
          <InvitationSection workspace={workspace} />
        </Part>
      )}
      {isAdmin(workspace) && (
        <Part title={t('links')}>
          <WorkspaceLinks workspace={workspace} />
        </Part>
      )}
      <EndSection workspace={workspace} userId={user.id} />
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="mt-8">
    <h2 className="text-lg font-semibold">{title}</h2>
    {children}
  </section>
);
