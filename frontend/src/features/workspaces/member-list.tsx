import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import {
  GIVEN_ROLES,
  type GivenRole,
  type Workspace,
  type WorkspaceMember,
} from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Crown, Ellipsis, Gauge, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '../../lib/number.ts';
import { formatDay, formatShortDay } from '../../lib/time.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import {
  Menu,
  MenuChoice,
  MenuChoiceItem,
  MenuContent,
  MenuItem,
  MenuTrigger,
} from '../../ui/menu.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { changeMember, membersQuery, offerOwnership, useAct } from './api.ts';
import { CapDialog } from './cap-dialog.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { isAdmin, roleName } from './roles.ts';

interface OfWorkspace {
  workspace: Workspace;
  userId: string;
}

/** The members, whom admins change. */
export function MemberList({ workspace, userId }: OfWorkspace) {
  const { data, isError, refetch } = useQuery(membersQuery(workspace.id));
  if (isError && !data)
    return (
      <ErrorState
        title={t('readFailed')}
        description={common('checkConnection')}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <Skeleton className="mt-4 w-full" />;
  return (
    <ul className="mt-2 grid divide-y divide-line">
      {data.map((member) => (
        <MemberRow key={member.userId} member={member} workspace={workspace} userId={userId} />
      ))}
    </ul>
  );
}

function MemberRow({ member, workspace, userId }: OfWorkspace & { member: WorkspaceMember }) {
  const isSelf = member.userId === userId;
  const mayChange = isAdmin(workspace) && member.role !== 'owner' && !isSelf;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" data-member={member.userId}>
      <Avatar name={member.name} />
      <div className="min-w-40 flex-1">
        <p className="font-medium wrap-anywhere">
          <bdi>{member.name}</bdi>
          {isSelf && <span className="font-normal text-muted"> ({t('you')})</span>}
        </p>
        <p className="text-sm wrap-anywhere text-muted">
          {member.email !== null && member.email !== member.name && (
            <>
              <bdi>{member.email}</bdi>
              {' · '}
            </>
          )}
          {t('since', { date: formatDay(member.joinedAt) })}
        </p>
        {member.usage && <MemberTokens usage={member.usage} />}
      </div>
      <div className="ms-auto flex items-center gap-2">
        {mayChange && !workspace.closed ? (
          <RoleMenu member={member} workspace={workspace} />
        ) : (
          <span className="text-sm text-muted">{roleName(member.role)}</span>
        )}
        {mayChange && <MemberMenu member={member} workspace={workspace} />}
      </div>
    </li>
  );
}

function MemberTokens({
  usage: { tokens, cap, lastUsedOn },
}: Required<Pick<WorkspaceMember, 'usage'>>) {
  const used = { tokens: formatNumber(tokens), cap: cap === null ? '' : formatNumber(cap) };
  return (
    <p className="text-sm text-muted tabular-nums">
      {cap === null ? t('memberTokens', used) : t('memberTokensOfCap', used)}
      {lastUsedOn && ` · ${t('lastUsed', { day: formatShortDay(lastUsedOn, 'UTC') })}`}
    </p>
  );
}

/** A menu, because the arrow keys change the value of a select: each role on the way would have its effects. */
function RoleMenu({ member, workspace }: { member: WorkspaceMember; workspace: Workspace }) {
  const { mutate, isPending, variables } = useAct((role: GivenRole) =>
    changeMember(workspace.id, member.userId, { role }),
  );
  const role = isPending ? variables : member.role;
  return (
    <Menu>
      <MenuTrigger>
        <Button aria-label={t('roleOf', { name: member.name, role: roleName(role) })}>
          {roleName(role)}
          <ChevronDown aria-hidden="true" className="size-4 text-muted" />
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuChoice
          value={role}
          onValueChange={(chosen) => chosen !== role && mutate(chosen as GivenRole)}
        >
          {GIVEN_ROLES.map((one) => (
            <MenuChoiceItem key={one} value={one}>
              {roleName(one)}
            </MenuChoiceItem>
          ))}
        </MenuChoice>
      </MenuContent>
    </Menu>
  );
}

function MemberMenu({ member, workspace }: { member: WorkspaceMember; workspace: Workspace }) {
  const [open, setOpen] = useState<'cap' | 'remove' | 'transfer'>();
  const { name, userId, role } = member;
  const onClose = () => setOpen(undefined);
  return (
    <>
      <Menu>
        <MenuTrigger>
          <IconButton label={t('actionsFor', { name })} size="sm">
            <Ellipsis aria-hidden="true" />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          {workspace.role === 'owner' && role === 'admin' && (
            <MenuItem onSelect={() => setOpen('transfer')}>
              <Crown aria-hidden="true" />
              {t('transfer')}
            </MenuItem>
          )}
          {!workspace.closed && (
            <MenuItem onSelect={() => setOpen('cap')}>
              <Gauge aria-hidden="true" />
              {t('setCap')}
            </MenuItem>
          )}
          <MenuItem danger onSelect={() => setOpen('remove')}>
            <UserMinus aria-hidden="true" />
            {common('remove')}
          </MenuItem>
        </MenuContent>
      </Menu>
      {open === 'cap' && <CapDialog workspaceId={workspace.id} member={member} onClose={onClose} />}
      {open === 'remove' && (
        <LeaveDialog workspace={workspace} member={member} isSelf={false} onClose={onClose} />
      )}
      {open === 'transfer' && (
        <ConfirmDialog
          title={t('transferTitle', { name })}
          description={t('transferText')}
          action={t('transfer')}
          isDanger={false}
          run={() => offerOwnership(workspace.id, userId)}
          onClose={onClose}
        />
      )}
    </>
  );
}
